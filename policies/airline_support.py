"""The policy of an airline's support desk: reservations are looked up, changed and cancelled."""

from __future__ import annotations

from typing import Any

from abs_shield import Policy, Target, Tool, inverse, rule, shield
from abs_shield.policy.packs import customer_service, dates, messaging, money
from policies.shapes import NUMBER, TEXT, WHOLE, many, takes, words

RESERVATION = {"reservation_id": TEXT}
FLIGHTS = many(flight_number=TEXT, date=TEXT)
PASSENGERS = many(first_name=TEXT, last_name=TEXT, dob=TEXT)
CABIN = words("basic_economy", "economy", "business")
BAGS = {"total_baggages": WHOLE, "nonfree_baggages": WHOLE}
JOURNEY = takes({"origin": TEXT, "destination": TEXT, "date": TEXT})
CHANGES = [
    "update_reservation_flights",
    "update_reservation_baggages",
    "update_reservation_passengers",
]
SEARCHES = ["search_direct_flight", "search_onestop_flight"]

TOOLS = [
    Tool(name="list_all_airports", parameters=takes({}), read_only=True),
    Tool(
        name="search_direct_flight",
        parameters=JOURNEY,
        soft=("origin", "destination"),
        read_only=True,
    ),
    Tool(
        name="search_onestop_flight",
        parameters=JOURNEY,
        soft=("origin", "destination"),
        read_only=True,
    ),
    Tool(
        name="get_user_details",
        parameters=takes({"user_id": TEXT}),
        targets={"user_id": Target()},
        read_only=True,
    ),
    Tool(
        name="get_reservation_details",
        parameters=takes(RESERVATION),
        targets={"reservation_id": Target()},
        read_only=True,
    ),
    Tool(
        name="book_reservation",
        parameters=takes(
            {
                "user_id": TEXT,
                "origin": TEXT,
                "destination": TEXT,
                "flight_type": words("one_way", "round_trip"),
                "cabin": CABIN,
                "flights": FLIGHTS,
                "passengers": PASSENGERS,
                "payment_methods": many(payment_id=TEXT, amount=NUMBER),
                **BAGS,
                "insurance": words("yes", "no"),
            }
        ),
        targets={"user_id": Target()},
        soft=("origin", "destination"),
    ),
    Tool(
        name="update_reservation_flights",
        parameters=takes({**RESERVATION, "cabin": CABIN, "flights": FLIGHTS, "payment_id": TEXT}),
        targets={"reservation_id": Target(), "payment_id": Target()},
    ),
    Tool(
        name="update_reservation_baggages",
        parameters=takes({**RESERVATION, **BAGS, "payment_id": TEXT}),
        targets={"reservation_id": Target(), "payment_id": Target()},
    ),
    Tool(
        name="update_reservation_passengers",
        parameters=takes({**RESERVATION, "passengers": PASSENGERS}),
        targets={"reservation_id": Target()},
    ),
    Tool(
        name="cancel_reservation",
        parameters=takes(RESERVATION),
        targets={"reservation_id": Target()},
        destructive=True,
    ),
    Tool(
        name="send_certificate",
        parameters=takes({"user_id": TEXT, "amount": NUMBER}),
        targets={"user_id": Target()},
        destructive=True,
    ),
    Tool(
        name="calculate",
        parameters=takes({"expression": TEXT}),
        free=("expression",),
        read_only=True,
    ),
    Tool(
        name="transfer_to_human_agents",
        parameters=takes({"summary": TEXT}),
        free=("summary",),
    ),
]


@rule(tool=[*SEARCHES, "book_reservation"])
def a_journey_leads_elsewhere(origin: str, destination: str, flight_type: str = "") -> bool:
    """A journey does not end where it begins."""
    return origin.strip().casefold() != destination.strip().casefold()


@rule(tool=["book_reservation", "update_reservation_baggages"])
def bags_are_counted(total_baggages: int, nonfree_baggages: int) -> bool:
    """Bags that are paid for are among all bags: 0 <= `nonfree_baggages` <= `total_baggages`."""
    return 0 <= nonfree_baggages <= total_baggages


@rule(tool=["book_reservation", "update_reservation_passengers"])
def one_to_five_passengers(passengers: list[Any]) -> bool:
    """A reservation has 1 to 5 passengers."""
    return 1 <= len(passengers) <= 5


@rule(tool=["book_reservation", "update_reservation_flights"])
def there_is_a_flight(flights: list[Any]) -> bool:
    """A reservation has a flight at least."""
    return bool(flights)


@rule(tool="book_reservation")
def payments_are_above_zero(payment_methods: list[dict[str, Any]]) -> bool:
    """Every payment of a booking is above 0."""
    return all(payment["amount"] > 0 for payment in payment_methods)


RULES = [
    a_journey_leads_elsewhere,
    bags_are_counted,
    one_to_five_passengers,
    there_is_a_flight,
    payments_are_above_zero,
    customer_service.verified_first("get_user_details", tool="book_reservation", same="user_id"),
    customer_service.verified_first("get_user_details", tool="send_certificate", same="user_id"),
    customer_service.verified_first(
        "get_reservation_details", tool=[*CHANGES, "cancel_reservation"], same="reservation_id"
    ),
    customer_service.once(tool="cancel_reservation", same="reservation_id"),
    money.above_zero(tool="send_certificate", what="A certificate"),
    money.at_most(500, tool="send_certificate", what="A certificate"),
    messaging.not_empty(tool="transfer_to_human_agents", parameter="summary"),
]
INVERSES = [
    # a flight may be changed in order to be cancelled: another cabin, other conditions
    inverse(first, "cancel_reservation", same="reservation_id", final=True)
    for first in ("update_reservation_baggages", "update_reservation_passengers")
]

policy: Policy = shield.configure(tools=TOOLS, rules=RULES, inverses=INVERSES)
"""Holds whatever day it is, so that runs of another day can be judged again."""

live: Policy = shield.configure(
    tools=TOOLS,
    rules=[*RULES, dates.not_in_the_past(tool=SEARCHES), dates.ahead_at_most(365, tool=SEARCHES)],
    inverses=INVERSES,
)
"""The policy for today's runs: nobody flies yesterday, and no timetable is known for next year."""
