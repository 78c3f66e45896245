"""The stage of personal data as a layer: it searches the arguments of calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from abs_shield.core import Finding, Unavailable, Verdict
from abs_shield.core.names import PERSONAL_DATA
from abs_shield.plan import Proposal
from abs_shield.policy.personal_data import PersonalData
from abs_shield.quality.pii.allowed import is_allowed
from abs_shield.quality.pii.detector import detect
from abs_shield.quality.pii.entity import Pii
from abs_shield.quality.pii.masking import TABLE
from abs_shield.session import Session
from abs_shield.text.leaves import Path, leaves, pointer
from abs_shield.text.show import escaped

_MOST_VALUES = 1_000
_MOST_CHARACTERS = 200_000
"""Of one call; a larger one is not searched, and the layer says so."""
_LONGEST_NAME = 100

Found = Iterator[Finding | Unavailable]


def personal_data_layer(settings: PersonalData) -> Callable[[Proposal, Session], Found]:
    """Return the layer of a policy's settings."""
    detectors = settings.detectors or (TABLE,)
    allowed = [pattern.casefold() for pattern in settings.allow]
    kinds = frozenset(settings.kinds)
    verdict = Verdict[settings.verdict.upper()]

    def personal_data(proposal: Proposal, session: Session) -> Found:
        """The agent hands the card number of a customer to a search engine."""
        texts = [*leaves(proposal.arguments, most=_MOST_VALUES + 1)]
        size = sum(len(value) for _, value in texts if isinstance(value, str))
        if len(texts) > _MOST_VALUES or size > _MOST_CHARACTERS:
            yield Unavailable("the arguments are too large to be searched")
            return
        for path, value in texts:
            if not isinstance(value, (str, int)) or isinstance(value, bool):
                continue
            # the parameter's name is the context: 219440178 is an SSN where it is called one
            text = str(value)
            label = f"{_name(path)}: "
            for entity in detect(label + text, detectors):
                start, end = entity.start - len(label), entity.end - len(label)
                if start < 0 or (kinds and entity.name not in kinds):
                    continue
                if not is_allowed(text[start:end], allowed):
                    yield _finding(entity, path, verdict, start, end)

    return personal_data


def _name(path: Path) -> str:
    names = [part for part in path if isinstance(part, str)]
    return escaped(names[-1].replace("_", " "), limit=_LONGEST_NAME) if names else ""


def _finding(entity: Pii, path: Path, verdict: Verdict, start: int, end: int) -> Finding:
    return Finding(
        check=PERSONAL_DATA,
        verdict=verdict,
        strength=entity.confidence,
        where="/arguments" + pointer(path),
        detail=f"{entity.name} at {start}-{end} ({entity.masked})",
        code=entity.name,
        hint=f"leave the {entity.name} out, or mask it",
        got=entity.masked,
        expected="no personal data",
    )
