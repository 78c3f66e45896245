"""The layer `personal_data`: arguments of calls are searched as outputs are."""

from __future__ import annotations

import pytest

from abs_shield import CallBlocked, PolicyError, Shield, Tool, Verdict, shield, shielded
from abs_shield.core import Outcome
from abs_shield.policy import PersonalData
from abs_shield.policy.check_config import PII_KINDS
from abs_shield.quality.pii.pii_detector import RECOGNISERS, TableDetector

CARD = "4111 1111 1111 1111"
SEARCH = Tool(name="search")


def decision_on(arguments, *, pii=True, **policy):
    """Return the decision on one call."""
    firewall = Shield(shield.configure(tools=[SEARCH], pii=pii, layers=(), **policy), hooks=None)
    return firewall.check_call({"name": "search", "arguments": arguments})


def test_a_finding_has_the_pointer_of_the_value():
    """The finding has the kind, the pointer and the layout, and not the value."""
    decision = decision_on({"query": "orders", "filters": [{"note": f"paid by {CARD}"}]})
    [finding] = decision.findings

    assert (Verdict.SUSPICIOUS, "personal_data") == (decision.verdict, finding.check)
    assert ("CreditCardNumber", "/arguments/filters/0/note") == (finding.code, finding.where)
    assert not decision.blocked
    assert "4111" not in str(decision.to_dict()) + str(decision.feedback())


def test_the_name_of_a_parameter_is_the_context():
    """Nine digits are a social security number where they are called one, as a number too."""
    assert [] == [*decision_on({"order": "219440178"}).findings]
    assert ["SSN"] == [one.code for one in decision_on({"ssn": "219-44-0178"}).findings]
    assert ["SSN"] == [
        one.code for one in decision_on({"social_security_number": 219440178}).findings
    ]


def test_the_layer_is_off_by_default():
    """The layer is opt-in; `pii=None` and `pii=False` disable it."""
    for pii in (None, False):
        decision = decision_on({"card": CARD}, pii=pii)
        assert (Verdict.CLEAN, {}) == (decision.verdict, dict(decision.coverage))


@pytest.mark.parametrize(
    ("mode", "verdict", "blocked"),
    [
        ({"mode": "strict"}, "hallucinated", True),
        ({"mode": "strict"}, "suspicious", False),
        ({"mode": "audit"}, "hallucinated", False),
        ({"modes": {"personal_data": "audit"}}, "hallucinated", False),
        ({"mode": "audit", "modes": {("search", "personal_data"): "strict"}}, "hallucinated", True),
        ({"on_suspicious": "block"}, "suspicious", True),
    ],
)
def test_the_layer_is_enforced_like_any_layer(mode, verdict, blocked):
    """The mode and the configured verdict decide whether a finding blocks the call."""
    decision = decision_on({"card": CARD}, pii=PersonalData(verdict=verdict), **mode)

    assert blocked is decision.blocked
    assert decision.findings


def test_kinds_and_values_can_be_allowed():
    """The layer can be limited to some kinds, and the company's own contacts can be allowed."""
    mail = {"to": "mia.li@acme.com", "text": f"Your card {CARD}"}

    assert ["CreditCardNumber"] == [
        one.code for one in decision_on(mail, pii=PersonalData(allow=["*@acme.com"])).findings
    ]
    assert ["EmailAddress"] == [
        one.code for one in decision_on(mail, pii={"kinds": ["EmailAddress"]}).findings
    ]


def test_a_decorated_tool_is_blocked():
    """Through the decorator, with the policy's own shield."""
    policy = shield.configure(pii=PersonalData(verdict="hallucinated"))

    @shielded(policy)
    def search(query: str) -> str:
        return query

    with pytest.raises(CallBlocked, match="personal_data at /arguments/query"):
        search(f"who pays with {CARD}?")
    assert "orders" == search("orders")


def test_arguments_that_are_too_large_are_not_searched():
    """The layer reports it; this is not a pass."""
    for arguments in ({"a": "x" * 300_000}, {"a": ["x"] * 2_000}):
        assert Outcome.UNAVAILABLE is decision_on(arguments).coverage["personal_data"].outcome


def test_a_wrong_setting_is_refused():
    """An invalid setting raises a PolicyError that names it."""
    with pytest.raises(PolicyError, match="verdict"):
        PersonalData(verdict="bad")
    with pytest.raises(PolicyError, match="pii"):
        shield.configure(pii="yes")


def test_names_of_arguments_are_searched():
    """The finding is at the object that has the name, and repeats neither."""
    decision = decision_on({"emails": {"jane.doe@mail.org": {"n": 1}, CARD: f"paid by {CARD}"}})

    assert {("EmailAddress", "/arguments/emails"), ("CreditCardNumber", "/arguments/emails")} == {
        (one.code, one.where) for one in decision.findings
    }
    assert "jane" not in str(decision.feedback())
    assert "4111" not in repr(decision.findings)


def test_the_kinds_of_a_policy_are_those_of_the_recognisers():
    """A policy accepts exactly the kinds of the table, and any kind with other detectors."""
    assert {*PII_KINDS} == {row.name for row in RECOGNISERS}
    assert ("Plate",) == PersonalData(kinds=["Plate"], detectors=[TableDetector()]).kinds
