"""Recorded conversations of three agents: user messages, calls, results and answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from abs_shield.policy import Tool, configure, inverse, rule


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoCall:
    """
    One call of a conversation.

    Attributes:
        tool: The tool name that the model wrote.
        arguments: The arguments that it wrote.
        result: The result of the tool.
        elapsed_ms: The duration of the call.
        logprobs: Log-probabilities of the call's tokens, if available.
    """

    tool: str
    arguments: dict[str, Any]
    result: Any = None
    elapsed_ms: float = 180.0
    logprobs: list[float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """
    One session of an agent.

    Attributes:
        agent: The agent's name.
        user: The user's message.
        steps: The calls, in order.
        answer: The final answer of the agent; empty for none.
        output: A letter that it also wrote; empty for none.
        often: Relative frequency among this agent's sessions, in percent.
        wrong: Whether a call or the answer is hallucinated, as a person would label it.
    """

    agent: str
    user: str
    steps: tuple[DemoCall, ...]
    answer: str = ""
    output: str = ""
    often: int = 10
    wrong: bool = False


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


_TEXT, _NUMBER = {"type": "string"}, {"type": "number"}
_DATE = {"type": "string", "format": "date"}


@rule(tool="transfer")
def amount_is_positive(amount: float) -> bool:
    """Check that a transfer moves an amount above 0."""
    return amount > 0


_MOST_REPLICAS = {"standard": 40}


@rule(tool="deploy")
def replicas_are_few(replicas: int) -> bool:
    """Check the number of replicas by size; raises KeyError for large services, as a demo error."""
    size = "standard" if replicas < 40 else "large"
    return replicas <= _MOST_REPLICAS[size]


TOOLS = (
    Tool(name="find_order", parameters=_object(order_id=_TEXT), read_only=True),
    Tool(
        name="refund",
        parameters=_object(transaction_id=_TEXT, amount=_NUMBER),
        targets=["transaction_id"],
        destructive=True,
    ),
    Tool(name="transfer", parameters=_object(account=_TEXT, amount=_NUMBER)),
    Tool(name="search_flights", parameters=_object(origin=_TEXT, destination=_TEXT, day=_DATE),
         read_only=True),
    Tool(name="book_flight", parameters=_object(flight_id=_TEXT, passenger=_TEXT)),
    Tool(name="cancel_booking", parameters=_object(booking_id=_TEXT), destructive=True),
    Tool(name="list_services", parameters=_object(cluster=_TEXT), read_only=True),
    Tool(name="deploy", parameters=_object(
        service=_TEXT, version=_TEXT, replicas={"type": "integer"})),
    Tool(name="delete_service", parameters=_object(service=_TEXT), destructive=True),
)  # fmt: skip

POLICY = configure(
    mode="audit",
    tools=TOOLS,
    rules=[amount_is_positive, replicas_are_few],
    inverses=[inverse("deploy", "delete_service", same="service")],
)
"""The policy of all three agents, in audit mode."""

_ORDER = {"order_id": "o_4711", "transaction_id": "tx_80113", "total": 84.90, "state": "delivered"}
_FLIGHTS = {
    "flights": [
        {"flight_id": "LH2032", "departs": "2026-03-05T08:10", "price": 129.0},
        {"flight_id": "LH2044", "departs": "2026-03-05T17:45", "price": 98.0},
    ]
}
_SERVICES = {
    "services": [
        {"service": "checkout", "version": "2.4.1", "replicas": 6},
        {"service": "search", "version": "1.19.0", "replicas": 12},
    ]
}
_FIND = DemoCall(tool="find_order", arguments={"order_id": "o_4711"}, result=_ORDER)
_SEARCH = DemoCall(
    tool="search_flights",
    arguments={"origin": "FRA", "destination": "CPH", "day": "2026-03-05"},
    result=_FLIGHTS,
    elapsed_ms=640.0,
)
_LIST = DemoCall(tool="list_services", arguments={"cluster": "prod-eu"}, result=_SERVICES)

CONVERSATIONS = (
    Conversation(
        agent="support",
        user="Where is my order o_4711?",
        steps=(_FIND,),
        answer="Your order o_4711 has been delivered. It came to 84.90 in total.",
        often=48,
    ),
    Conversation(
        agent="support",
        user="Please refund order o_4711, the jacket did not fit.",
        steps=(
            _FIND,
            DemoCall(
                tool="refund",
                arguments={"transaction_id": "tx_80113", "amount": 84.90},
                result={"refund_id": "re_5521", "state": "pending"},
            ),
        ),
        answer="I refunded 84.90 for order o_4711.",
        output="Dear customer, your refund is on its way. It takes three to five working days.",
        often=26,
    ),
    Conversation(
        agent="support",
        user="Please refund order o_4711, and confirm it by letter.",
        steps=(
            _FIND,
            DemoCall(
                tool="refund",
                arguments={"transaction_id": "tx_80113", "amount": 84.90},
                result={"refund_id": "re_5521", "state": "pending"},
            ),
        ),
        answer="I refunded 84.90 for order o_4711.",
        output="Dear customer, 84.90 goes to your card 4111 1111 1111 1111 within five days.",
        often=6,
        wrong=True,
    ),
    Conversation(
        agent="support",
        user="Please refund order o_4711.",
        steps=(
            DemoCall(
                tool="refund",
                arguments={"transaction_id": "tx_99999", "amount": 84.90},
                result={"error": "no such transaction"},
            ),
        ),
        often=6,
        wrong=True,
    ),
    Conversation(
        agent="support",
        user="Please refund order o_4711.",
        steps=(
            _FIND,
            DemoCall(
                tool="refund",
                arguments={"transaction_id": "tx_80113", "amount": "84,90 EUR"},
                result={"error": "amount must be a number"},
            ),
        ),
        often=5,
        wrong=True,
    ),
    Conversation(
        agent="support",
        user="Where is my order o_4711?",
        steps=(_FIND,),
        answer="Your order o_4711 was delivered and came to 184.90 in total.",
        often=4,
        wrong=True,
    ),
    Conversation(
        agent="support",
        user="Move 40 from my savings account acc_7 to my wallet.",
        steps=(
            DemoCall(
                tool="transfer",
                arguments={"account": "acc_7", "amount": -40},
                result={"error": "amount must be positive"},
            ),
        ),
        often=3,
        wrong=True,
    ),
    Conversation(
        agent="support",
        user="Email me the invoice of order o_4711.",
        steps=(_FIND, DemoCall(tool="send_invoice", arguments={"order_id": "o_4711"})),
        often=2,
        wrong=True,
    ),
    Conversation(
        agent="travel",
        user="Find me a flight from FRA to CPH on 5 March 2026.",
        steps=(_SEARCH,),
        answer="There are two flights: LH2032 at 129 and LH2044 at 98.",
        often=40,
    ),
    Conversation(
        agent="travel",
        user="Book the cheaper flight from FRA to CPH on 5 March 2026 for Ana Petrova.",
        steps=(
            _SEARCH,
            DemoCall(
                tool="book_flight",
                arguments={"flight_id": "LH2044", "passenger": "Ana Petrova"},
                result={"booking_id": "bk_3310", "state": "confirmed"},
                elapsed_ms=910.0,
            ),
        ),
        answer="Ana Petrova is booked on LH2044 for 98.",
        often=40,
    ),
    Conversation(
        agent="travel",
        user="Book the cheaper flight from FRA to CPH on 5 March 2026 for Ana Petrova.",
        steps=(
            _SEARCH,
            DemoCall(
                tool="book_flight",
                arguments={"flight_id": "LH2072", "passenger": "Ana Petrova"},
                result={"error": "no such flight"},
            ),
        ),
        often=9,
        wrong=True,
    ),
    Conversation(
        agent="travel",
        user="Is there a flight from FRA to CPH tomorrow?",
        steps=(
            DemoCall(
                tool="search_flights",
                arguments={"origin": "FRA", "destination": "CPH", "day": "tomorrow"},
                result={"error": "day must be a date"},
            ),
        ),
        often=6,
        wrong=True,
    ),
    Conversation(
        agent="travel",
        user="Cancel my booking, please.",
        steps=(
            DemoCall(
                tool="cancel_booking",
                arguments={"booking_id": "bk_0001"},
                result={"error": "no such booking"},
                logprobs=[-0.6, -2.4, -1.9],
            ),
        ),
        often=5,
        wrong=True,
    ),
    Conversation(
        agent="operations",
        user="Which services run in prod-eu?",
        steps=(_LIST,),
        answer="Two services run in prod-eu: checkout 2.4.1 and search 1.19.0.",
        often=55,
    ),
    Conversation(
        agent="operations",
        user="Roll checkout out as 2.4.2 with 6 replicas in prod-eu.",
        steps=(
            _LIST,
            DemoCall(
                tool="deploy",
                arguments={"service": "checkout", "version": "2.4.2", "replicas": 6},
                result={"state": "rolling out"},
                elapsed_ms=2_300.0,
            ),
        ),
        answer="checkout is being rolled out as 2.4.2.",
        often=33,
    ),
    Conversation(
        agent="operations",
        user="Roll checkout out as 2.4.2 with 45 replicas in prod-eu for the sale.",
        steps=(
            _LIST,
            DemoCall(
                tool="deploy",
                arguments={"service": "checkout", "version": "2.4.2", "replicas": 45},
                result={"state": "rolling out"},
                elapsed_ms=2_100.0,
            ),
        ),
        often=4,
    ),
    Conversation(
        agent="operations",
        user="Roll checkout out as 2.4.2 with 6 replicas in prod-eu.",
        steps=(
            _LIST,
            DemoCall(
                tool="deploy",
                arguments={"service": "checkout", "version": "2.4.2", "replicas": 6},
                result={"state": "rolling out"},
            ),
            DemoCall(
                tool="delete_service", arguments={"service": "checkout"}, result={"state": "gone"}
            ),
        ),
        often=4,
        wrong=True,
    ),
    Conversation(
        agent="operations",
        user="Clean up everything unused in prod-eu.",
        steps=(
            _LIST,
            DemoCall(
                tool="delete_service",
                arguments={"service": "legacy-billing"},
                result={"error": "no such service"},
            ),
        ),
        often=4,
        wrong=True,
    ),
)
