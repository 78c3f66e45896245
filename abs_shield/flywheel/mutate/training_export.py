"""Export of examples to training formats: chats, completions, preference pairs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from abs_shield.core.digest import encodable
from abs_shield.errors import ShieldError
from abs_shield.flywheel.cases import numbered_lines
from abs_shield.flywheel.mutate.regression_cases import pytest_file, run_file
from abs_shield.flywheel.mutate.training_example import TrainingExample
from abs_shield.text.nearest import suggest_name
from abs_shield.text.safe_display import escaped


def chat(example: TrainingExample, system: str = "") -> dict[str, Any]:
    """
    Return a line of OpenAI's chat format.

    >>> from abs_shield.flywheel.mutate.training_example import TrainingExample
    >>> one = TrainingExample(
    ...     prompt="2 + 2?", answer="4", rejected="5", gap="g", kind="fact", template="", source=""
    ... )
    >>> [message["role"] for message in chat(one, system="Be brief.")["messages"]]
    ['system', 'user', 'assistant']
    """
    first = [{"role": "system", "content": system}] if system else []
    return {"messages": [*first, *_turn(example)]}


def completion(example: TrainingExample, system: str = "") -> dict[str, Any]:
    """Return a line with a prompt and its completion, in the format of Hugging Face's trainers."""
    return {"prompt": _prompt(example, system), "completion": example.answer}


def preference(example: TrainingExample, system: str = "") -> dict[str, Any]:
    """Return a line with the preferred and the rejected answer."""
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
"""Formats of an export."""


def render_export(examples: Iterable[TrainingExample], form: str, *, system: str = "") -> str:
    """
    Render examples as the text of a file.

    Args:
        examples: The examples.
        form: ``openai``, ``huggingface``, ``preference`` (examples with a wrong answer only),
            ``examples`` (see `read_examples`), ``pytest`` or ``runs``.
        system: The system message before each prompt.

    Raises:
        ShieldError: The form is unknown, or no example fits it.
    """
    if form in _FILES:
        return encodable(_FILES[form](examples))
    if form not in _LINES:
        hint = suggest_name(form, FORMS, otherwise=f"use {', '.join(FORMS)}")
        raise ShieldError(f"export: there is no form `{escaped(form)}`; {hint}")
    chosen = [one for one in examples if form != "preference" or one.rejected]
    lines = (json.dumps(_LINES[form](one, system), ensure_ascii=False) for one in chosen)
    return encodable("".join(f"{line}\n" for line in lines))


def training_texts(examples: Iterable[TrainingExample], system: str = "") -> list[str]:
    """Return the texts that must not contain an evaluation case: all prompts, and *system*."""
    return [one.prompt for one in examples] + ([system] if system else [])


def read_examples(text: str) -> list[TrainingExample]:
    """
    Parse a file in the form ``examples``.

    Raises:
        ShieldError: A line is not an example.
    """
    examples = []
    for number, line in numbered_lines(text):
        try:
            examples.append(TrainingExample.from_dict(json.loads(line)))
        except (ValueError, TypeError) as error:
            raise ShieldError(f"line {number} is not an example: {escaped(str(error))}") from None
    return examples
