"""The responses whose outputs are checked by the cascade, by path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from abs_shield.errors import ShieldError
from abs_shield.quality import AgentOutput, Task
from abs_shield.text.safe_display import shown

OUTPUTS = (
    "/choices/*/message/content", "/output/*/content", "/content", "/message/content",
    "/response", "/answer", "/text", "/output", "/output_text", "",
)  # fmt: skip
"""Default pointers to an output in a JSON body."""
DELTAS = (
    "/choices/*/delta/content", "/delta/text", "/delta", "/message/content", "/response",
    "/answer", "/text", "/response/output/*/content", "/item/content", "/part/text",
)  # fmt: skip
"""Default pointers to a piece of an output in the JSON of an event."""
_NO_TASK = Task()


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityRoute:
    """
    Responses whose outputs are checked by the cascade, and the locations of their outputs.

    Attributes:
        path: Path of the request, or a glob such as ``"/memos/*"``.
        outputs: JSON pointers to outputs in a JSON body; all that match a text are checked. A
            ``*`` matches each item of a list; the texts of a list are one output. The empty
            pointer matches the whole body, for example a JSON string.
        deltas: JSON pointers to pieces of an output in the JSON of a stream's event; pieces with
            the same location are joined.
        task_type: The `AgentOutput.task_type` of the outputs.
        task: The `AgentOutput.task` of the outputs.
        agent_id: The agent that writes the outputs.
        model: The model that writes the outputs.

    Raises:
        ShieldError: The path is invalid, a list of pointers is empty, or a pointer does not begin
            with ``/``.
    """

    path: str
    outputs: Sequence[str] = OUTPUTS
    deltas: Sequence[str] = DELTAS
    task_type: str = ""
    task: Task = _NO_TASK
    agent_id: str = ""
    model: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.path, str) or not self.path.startswith(("/", "*")):
            raise ShieldError(f"`path` is {shown(self.path)}; give a path such as `/memos/*`")
        for name in ("outputs", "deltas"):
            pointers = getattr(self, name)
            if not isinstance(pointers, (list, tuple)) or not pointers:
                raise ShieldError(f"`{name}` is {shown(pointers)}; give a list of JSON pointers")
            for pointer in pointers:
                if not isinstance(pointer, str) or pointer[:1] not in ("", "/"):
                    raise ShieldError(f"{shown(pointer)} is not a JSON pointer; use e.g. `/answer`")
            object.__setattr__(self, name, tuple(pointers))

    def output(self, text: str) -> AgentOutput:
        """Return *text* as an output of this route."""
        return AgentOutput(
            text=text,
            task_type=self.task_type,
            task=self.task,
            agent_id=self.agent_id,
            model=self.model,
        )


def as_route(value: Any) -> QualityRoute:
    if isinstance(value, QualityRoute):
        return value
    if not isinstance(value, str):
        raise ShieldError(f"`routes` has {shown(value)}; give a path or a QualityRoute")
    return QualityRoute(path=value)
