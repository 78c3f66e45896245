"""The layer that searches the arguments of calls for personal data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from abs_shield.core import Finding, Unavailable, Verdict
from abs_shield.core.vocabularies import PERSONAL_DATA
from abs_shield.plan import Proposal
from abs_shield.policy.check_config import PersonalData
from abs_shield.quality.pii.pii_detector import TABLE, detect, is_allowed
from abs_shield.quality.pii.pii_entity import Pii
from abs_shield.session import Session
from abs_shield.text.json_leaves import Path, leaves, pointer
from abs_shield.text.safe_display import escaped

_MOST_VALUES = 1_000  # each is a text of its own for every detector
_MOST_CHARACTERS = 200_000
"""Maximum size of a call; a larger one is not searched, which the layer reports."""
_LONGEST_NAME = 100  # a context word has fewer; a model may invent a name of any length

LayerFindings = Iterator[Finding | Unavailable]


def personal_data_layer(settings: PersonalData) -> Callable[[Proposal, Session], LayerFindings]:
    """Return the layer of a policy's settings."""
    detectors = settings.detectors or (TABLE,)
    allowed = [pattern.casefold() for pattern in settings.allow]
    kinds = frozenset(settings.kinds)
    verdict = Verdict[settings.verdict.upper()]

    def entities(label: str, text: str) -> Iterator[Pii]:
        """Yield the personal data in a text that follows its label, with places in the text."""
        for entity in detect(label + text, detectors):
            start, end = entity.start - len(label), entity.end - len(label)
            if start < 0 or (kinds and entity.name not in kinds):  # found in the label
                continue
            if not is_allowed(text[start:end], allowed):
                yield replace(entity, start=start, end=end)

    def personal_data(proposal: Proposal, session: Session) -> LayerFindings:
        """The agent hands the card number of a customer to a search engine."""
        texts = [*leaves(proposal.arguments, most=_MOST_VALUES + 1)]  # one more shows the excess
        # names of arguments as well: a model may write a value as a key
        names = {path[:n] for path, _ in texts for n in range(1, len(path) + 1)}
        some = [*(path[-1] for path in names), *(value for _, value in texts)]
        size = sum(len(value) for value in some if isinstance(value, str))
        if len(texts) > _MOST_VALUES or size > _MOST_CHARACTERS:
            yield Unavailable("the arguments are too large to be searched")
            return
        hidden: set[Path] = set()
        for path in sorted(names, key=str):
            for entity in entities("", path[-1]) if isinstance(path[-1], str) else ():
                hidden.add(path)
                yield _finding(entity, _shown(path, hidden), verdict)
        for path, value in texts:
            if not isinstance(value, (str, int)) or isinstance(value, bool):
                continue
            # the parameter's name is the context: 219440178 is an SSN if the name says so
            for entity in entities(f"{_name(path)}: ", str(value)):
                yield _finding(entity, _shown(path, hidden), verdict)

    return personal_data


def _shown(path: Path, hidden: Collection[Path]) -> Path:
    """Return a path, cut at the first name that is itself personal data."""
    return next((path[: n - 1] for n in range(1, len(path) + 1) if path[:n] in hidden), path)


def _name(path: Path) -> str:
    names = [part for part in path if isinstance(part, str)]
    return escaped(names[-1].replace("_", " "), limit=_LONGEST_NAME) if names else ""


def _finding(entity: Pii, path: Path, verdict: Verdict) -> Finding:
    return Finding(
        check=PERSONAL_DATA,
        verdict=verdict,
        strength=entity.confidence,
        where="/arguments" + pointer(path),
        detail=f"{entity.name} at {entity.start}-{entity.end} ({entity.masked})",
        code=entity.name,
        hint=f"leave the {entity.name} out, or mask it",
        got=entity.masked,
        expected="no personal data",
    )
