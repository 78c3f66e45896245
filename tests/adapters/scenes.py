"""The scenes that every adapter plays: a scripted model and the expected outcome."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, NamedTuple, Protocol

from pydantic import Field

from abs_shield import Decision, Shield, Target, Tool, ToolProfile, inverse, shield, shielded

ASKED = "Please look up order ord_1 and refund tx_12345, 20 dollars. Also make the user u_1."


TRUE = "I have refunded tx_12345."
EXTRA = f"{TRUE} The money arrives within 3 hours."
REFUSAL = "I cannot answer this reliably"


class Call(NamedTuple):
    """One call of the scripted model; arguments that are text are sent unchanged."""

    id: str
    name: str
    arguments: Mapping[str, Any] | str

    @property
    def raw(self) -> str:
        """Return the arguments as a provider sends them."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


Payee = Annotated[str, Target(must_be_seen=True)]
Few = Annotated[float, Field(le=10)]
Turn = Sequence[Call] | str
"""What the model answers once: calls, or the final text."""


@dataclass
class Shop:
    """
    The host's tools, and the calls that ran; every driver offers the tools by these names.
    ``get_order(order_id: str)``, ``refund(transaction_id: str, amount: float)``,
    ``create_user(user_id: str)``, ``delete_user(user_id: str)``, ``explode(order_id: str)``,
    ``pay(payee: Payee, amount: Few)``, which may be decorated.
    """

    decorates: ClassVar[Shield | None] = None
    ran: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.decorates is not None:
            self.pay = shielded(self.decorates)(self.pay)  # type: ignore[method-assign]

    @classmethod
    @contextmanager
    def decorated(cls, firewall: Shield | None) -> Iterator[None]:
        """Decorate `pay` of every shop that is created in the context."""
        cls.decorates = firewall
        try:
            yield
        finally:
            cls.decorates = None

    def get_order(self, order_id: str) -> str:
        self.ran.append(("get_order", {"order_id": order_id}))
        return json.dumps({"order_id": order_id, "parcel_id": "pc_777"})

    def refund(self, transaction_id: str, amount: float) -> str:
        self.ran.append(("refund", {"transaction_id": transaction_id, "amount": amount}))
        return f"refunded {transaction_id}"

    def create_user(self, user_id: str) -> str:
        self.ran.append(("create_user", {"user_id": user_id}))
        return "created"

    def delete_user(self, user_id: str) -> str:
        self.ran.append(("delete_user", {"user_id": user_id}))
        return "deleted"

    def explode(self, order_id: str) -> str:
        self.ran.append(("explode", {"order_id": order_id}))
        raise RuntimeError("the warehouse is on fire")

    def pay(self, payee: Payee, amount: Few) -> str:
        self.ran.append(("pay", {"payee": payee, "amount": amount}))
        return "paid"


# pydantic 2.11.0 looks for the names of a method's hints nowhere
Shop.pay.__annotations__.update(payee=Payee, amount=Few)
_NUMBER, _TEXT = {"type": "number"}, {"type": "string"}
_PARAMETERS = {
    "get_order": {"order_id": _TEXT},
    "refund": {"transaction_id": _TEXT, "amount": _NUMBER},
    "create_user": {"user_id": _TEXT},
    "delete_user": {"user_id": _TEXT},
    "explode": {"order_id": _TEXT},
    "pay": {"payee": _TEXT, "amount": _NUMBER},
}
TOOLS = tuple(_PARAMETERS)
SCHEMAS: dict[str, Any] = {
    name: {"type": "object", "properties": of, "required": [*of]}
    for name, of in _PARAMETERS.items()
}
"""The tools as a host describes them that has no framework to do it."""


@dataclass
class Ran:
    """
    The outcome of a scene.
    Attributes:
        answer: The final text of the run; None if it ended without one.
        replies: The text that the model received for each call, by call id.
        ran: The host's tools that ran, with their arguments, in order.
        requests: Each request to the model, as JSON.
        decisions: The decisions that the Shield stored.
        error: The exception of the run; None if it ended normally.
        spans: Name and attributes of each recorded span, in the order of their ends.
        origin: The source of ``pc_777`` in the session: ``"tool"``, ``"user"`` or "".
    """

    answer: str | None = None
    replies: dict[str, str] = field(default_factory=dict)
    ran: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    requests: list[Any] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    error: BaseException | None = None
    spans: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    origin: str = ""


class Driver(Protocol):
    """
    Runs a framework with a scripted model, with its own dispatch or with the adapter.
    Attributes:
        name: The adapter's module: ``"langgraph"``.
        impossible: Scene to the reason why this framework cannot play it.
    """

    name: str
    impossible: Mapping[str, str]

    def run(self, turns: Sequence[Turn], *, firewall: Shield | None, stream: bool = False) -> Ran:
        """
        Play *turns* after the user's text `ASKED`; without a firewall, without the adapter.
        With *stream* the framework streams. In ``requests``, ids, texts and times that differ from
        run to run are replaced.
        """

    def delegate(self, turns: Sequence[Turn], *, firewall: Shield | None) -> Ran:
        """Play *turns* in a sub-agent of the framework, or after a handoff to one."""


GOOD = Call("c1", "refund", {"transaction_id": "tx_12345", "amount": 20.0})
DONE = "It is done."


@dataclass(frozen=True)
class Scene:
    """
    A scripted model and the expected outcome.
    Attributes:
        turns: The turns of the model.
        bad: The id of the call that strict mode blocks; None if all calls are right.
        codes: The codes of which the decision about the bad call has at least one.
        withheld: The id of the call whose result strict mode withholds, or None.
        runs: The tools that run in strict mode.
        streams: Whether the framework streams.
        delegates: Whether the scene is played by a sub-agent or after a handoff.
        decorated: Whether `pay` is also decorated inside the framework's own tool.
    """

    turns: Sequence[Turn]
    bad: str | None = None
    codes: frozenset[str] = frozenset()
    withheld: str | None = None
    runs: tuple[str, ...] = ()
    streams: bool = False
    delegates: bool = False
    decorated: bool = False


def _bad(call: Call, *codes: str, **how: bool) -> Scene:
    """Return a scene with a bad call that the model corrects after the feedback."""
    again = GOOD._replace(id="c2")
    return Scene([[call], [again], DONE], call.id, frozenset(codes), runs=("refund",), **how)


MALLORY = {"payee": "Mallory", "amount": 5.0}
PAID = Call("c1", "pay", {"payee": "u_1", "amount": 50.0})
UNSEEN = GOOD._replace(arguments={"transaction_id": "tx_99999", "amount": 20.0})
SCENES: dict[str, Scene] = {
    "good call": Scene([[GOOD], DONE], runs=("refund",)),
    "phantom tool": _bad(GOOD._replace(name="refnud"), "unknown_tool"),
    "phantom target": _bad(UNSEEN, "unseen"),
    "wrong type": _bad(
        GOOD._replace(arguments={"transaction_id": "tx_12345", "amount": "a lot"}), "wrong_type"
    ),
    "unparsable JSON": _bad(GOOD._replace(arguments='{"transaction_id": "tx_12'), "malformed_json"),
    "contradiction in a batch": Scene(
        [
            [
                Call("c1", "create_user", {"user_id": "u_1"}),
                Call("c2", "delete_user", {"user_id": "u_1"}),
            ],
            DONE,
        ],
        "c2",
        frozenset({"undone"}),
        runs=("create_user",),
    ),
    "tool that raises": Scene(
        [[Call("c1", "explode", {"order_id": "ord_1"})], DONE], runs=("explode",)
    ),
    "parallel calls": Scene(
        [[Call("c1", "get_order", {"order_id": "ord_1"}), GOOD._replace(id="c2")], DONE],
        runs=("get_order", "refund"),
    ),
    "made-up result": Scene(
        [[Call("c1", "delete_user", {"user_id": "u_1"})], DONE],
        withheld="c1",
        runs=("delete_user",),
    ),
    "streaming": _bad(GOOD._replace(name="refnud"), "unknown_tool", streams=True),
    "handoff": _bad(UNSEEN, "unseen", delegates=True),
    "mark of a decorated tool": _bad(PAID._replace(arguments=MALLORY), "unseen", decorated=True),
    "bound of a decorated tool": _bad(PAID, "out_of_range", decorated=True),
}


MADE_UP = "delete_user"
"""The tool whose results are not what they have to be."""
DELETED = ToolProfile(required_fields=["deleted_at"], has_network_io=False)
"""What `delete_user` never gives."""


def firewall(mode: str) -> Shield:
    """Return a Shield with the policy of all scenes."""
    return Shield(
        shield.configure(
            mode=mode,
            on_suspicious="block",
            tools=[
                Tool(name="refund", destructive=True),
                Tool(name=MADE_UP, profile=DELETED),
            ],
            inverses=[inverse("create_user", "delete_user", same="user_id")],
        )
    )
