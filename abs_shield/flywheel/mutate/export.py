"""Examples as files that trainers read: chats, prompts with completions, preference pairs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from abs_shield.core.canonical import encodable
from abs_shield.errors import ShieldError
from abs_shield.flywheel.lines import numbered_lines
from abs_shield.flywheel.mutate.example import TrainingExample
from abs_shield.flywheel.mutate.regression import pytest_file, run_file
from abs_shield.text.nearest import nearest
from abs_shield.text.show import escaped


def chat(example: TrainingExample, system: str = "") -> dict[str, Any]:
    """
    Return a line of OpenAI's chat format.

    >>> from abs_shield.flywheel.mutate.example import TrainingExample
    >>> one = TrainingExample(
    ...     prompt="2 + 2?", answer="4", rejected="5", gap="g", kind="fact", template="", source=""
    ... )
    >>> [message["role"] for message in chat(one, system="Be brief.")["messages"]]
    ['system', 'user', 'assistant']
    """
    first = [{"role": "system", "content": system}] if system else []
    return {"messages": [*first, *_turn(example)]}


def completion(example: TrainingExample, system: str = "") -> dict[str, Any]:
    """Return a line with a prompt and its completion, as Hugging Face's trainers read it."""
    return {"prompt": _prompt(example, system), "completion": example.answer}


def preference(example: TrainingExample, system: str = "") -> dict[str, Any]:
    """Return a line with the answer to prefer, and the kind of answer that was caught."""
    record = {"prompt": _prompt(example, system), "chosen": example.answer}
    return {**record, "rejected": example.rejected}


def _turn(example: TrainingExample) -> list[dict[str, str]]:
    return [
        {"role": "user", "content": example.prompt},
        {"role": "assistant", "content": example.answer},
    ]


def _prompt(example: TrainingExample, system: str) -> str:
    return f"{system}\n\n{example.prompt}" if system else example.prompt


_LINES: Mapping[str, Callable[[TrainingExample, str], dict[str, Any]]] = {
    "openai": chat,
    "huggingface": completion,
    "preference": preference,
    "examples": lambda example, system: example.to_dict(),
}
_FILES: Mapping[str, Callable[[Iterable[TrainingExample]], str]] = {
    "pytest": pytest_file,
    "runs": run_file,
}
FORMS = (*_LINES, *_FILES)
"""Forms of an export."""


def render_export(examples: Iterable[TrainingExample], form: str, *, system: str = "") -> str:
    """
    Return the text of a file.

    Args:
        examples: The examples.
        form: ``openai``, ``huggingface``, ``preference`` (examples with a wrong answer only),
            ``examples``, which `read_examples` reads, ``pytest`` or ``runs``.
        system: What the system says before each prompt.

    Raises:
        ShieldError: There is no such form, or no example fits it.
    """
    if form in _FILES:
        return encodable(_FILES[form](examples))
    if form not in _LINES:
        near = nearest(form, FORMS)
        hint = f"did you mean `{near[0]}`?" if near else f"use {', '.join(FORMS)}"
        raise ShieldError(f"export: there is no form `{escaped(form)}`; {hint}")
    chosen = [one for one in examples if form != "preference" or one.rejected]
    lines = (json.dumps(_LINES[form](one, system), ensure_ascii=False) for one in chosen)
    return encodable("".join(f"{line}\n" for line in lines))


def training_texts(examples: Iterable[TrainingExample], system: str = "") -> list[str]:
    """Return the texts that must not hold an evaluation case: all prompts, and the system's."""
    return [one.prompt for one in examples] + ([system] if system else [])


def read_examples(text: str) -> list[TrainingExample]:
    """
    Return the examples of a file in the form ``examples``.

    Raises:
        ShieldError: A line is not an example.
    """
    found = []
    for number, line in numbered_lines(text):
        try:
            found.append(TrainingExample.from_dict(json.loads(line)))
        except (ValueError, TypeError) as error:
            raise ShieldError(f"line {number} is not an example: {escaped(str(error))}") from None
    return found
