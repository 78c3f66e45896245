"""For any reply of a model no check raises, and an invalid reply is undetermined."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from abs_shield.answer.claim_types import Claim, Opinion
from abs_shield.answer.evidence.evidence_passages import Evidence, Passage, PassageSource
from abs_shield.answer.faithfulness import Faithfulness
from abs_shield.core import Unavailable
from abs_shield.model import Terms
from tests.answer.judges import Judged, aprobe, probe

CONTEXT = "The Eiffel Tower is located in Paris, France. It was built in 1889."
EVIDENCE = Evidence((Passage("result:1", PassageSource.TOOL_RESULT, CONTEXT),))
CLAIM = Claim("It was built in 1889.", 0, 21, frozenset({"date"}))

SCALARS = st.none() | st.booleans() | st.integers(-2, 5) | st.floats() | st.text(max_size=20)
ITEMS = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["s1", "c1", "c1.1", "s9", ""]) | SCALARS,
        "verdict": st.sampled_from([0, 1, True, "supported", "contradicted"]) | SCALARS,
        "in_scope": SCALARS,
        "reason": SCALARS,
        "quote": st.sampled_from(["built in 1889", "\\W+(", "?"]) | SCALARS,
        "value": SCALARS,
        "more": SCALARS,
    },
)
NAMES = ["statements", "verdicts", "judgements", "found", "answer"]
REPLIES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4), max_leaves=6) | (
    st.dictionaries(
        st.sampled_from(NAMES) | st.text(max_size=5),
        st.lists(ITEMS | SCALARS, max_size=3) | SCALARS,
        max_size=4,
    )
)


def reply_with(reply: Any) -> Any:
    return lambda messages, schema: reply


@given(REPLIES)
def test_the_guardrail_returns_a_result(reply):
    """A text passes only if it is determined and its score is 1."""
    report = Faithfulness(provider=reply_with(reply), context=CONTEXT, terms=Terms())
    result = report.check("It was built in 1889.")

    assert result == asyncio.run(report.acheck("It was built in 1889."))
    assert result.passed == (not result.undetermined and result.score == 1)
    assert "\n" not in result.explain()


@given(REPLIES)
def test_the_scorer_returns_a_score_or_a_reason(reply):
    """The result is a score in [0, 1] with spans of the evidence, or `Unavailable`."""
    (one,) = Judged(reply_with(reply))((CLAIM,), EVIDENCE)

    assert isinstance(one, Opinion | Unavailable)
    if isinstance(one, Opinion):
        assert 0 <= one.score <= 1
        assert all(CONTEXT[s.start : s.end] == s.text for s in one.spans)


@given(REPLIES)
def test_a_probe_returns_an_agreement_or_a_reason(reply):
    """The result is an agreement in [0, 1] or the reason why the probe did not run."""
    (one,) = probe((CLAIM,), CLAIM.text, None, EVIDENCE, reply_with(reply))
    (again,) = asyncio.run(aprobe((CLAIM,), CLAIM.text, None, EVIDENCE, reply_with(reply)))

    assert one == again
    assert (one.agreement is None) == bool(one.not_run)
