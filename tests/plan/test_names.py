"""Meanings of the names of parameters and tools."""

from __future__ import annotations

import pytest

from abs_shield.plan.parameter_names import classify_name
from abs_shield.plan.requested_steps import requests_both_steps
from abs_shield.plan.tool_action import (
    are_opposite_actions,
    have_same_noun,
    needs_existing_entity,
    parse_action,
)
from abs_shield.text.verbs import VerbEffect

JUDGED = {
    "hard": "id orderId user_ids IBAN to_email account_number flight_no path file_path repo uuid "
    "sort_code bic swift coupon_code promo_code discount_code "
    "booking_code item_key pnr mrn patron_barcode ip_address webpage_url ticket order_number "
    "policyNo orderIdentifier",
    "number": "room_number version_no zone-code UNIT_CODE event_key unit_id",
    "who": "user recipient attendees participants assignee",
    "public": "author player_name",
    "soft": "name first_name city hotel_name delivery_address company",
    "code": "payment_method funding_source",
    "never": "status order_status sort_by_type amount value_wei currency_code page_number limit "
    "metric_name event_name stage timezone priority country_code floor_number "
    "token_name status_id number_of_tickets num_guests currency_code",
    "open": "data stuff tags_csv",
}


@pytest.mark.parametrize(
    ("name", "judged"), [(name, judged) for judged, text in JUDGED.items() for name in text.split()]
)
def test_the_class_of_a_parameter_by_its_name(name, judged):
    """Identifiers, people, names, methods of payment and words of an interface differ."""
    assert judged == classify_name(name)


DEEDS = [
    ("get_user", "read", ("user",), ()),
    ("createOrder", "make", ("order",), ()),
    ("remove_user_from_channel", "unmake", ("user",), ("channel",)),
    ("calendar.events.delete", "unmake", ("calendar", "event"), ()),
    ("update_reservation_flights", "change", ("reservation", "flight"), ()),
    ("frobnicate", "act", ("frobnicate",), ()),
    ("", "act", (), ()),
]


@pytest.mark.parametrize(("name", "does", "noun", "object_"), DEEDS)
def test_the_action_of_a_tool_by_its_name(name, does, noun, object_):
    """Verb, noun and object are parsed from a name in any style."""
    text = parse_action(name)

    assert (does, noun, object_) == (text.does, text.noun, text.object)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("create_user", "delete_user", True),
        ("create_user", "delete_users", True),
        ("create_calendar_event", "delete_calendar", False),
        ("update_reservation_flights", "cancel_reservation", True),
        ("create_user", "delete_order", False),
    ],
)
def test_one_kind_of_thing(one, other, same):
    """The last word of a noun decides; a change of a part matches the whole."""
    assert same == have_same_noun(parse_action(one), parse_action(other))


def test_opposites_and_needs():
    """Exact opposites are recognised, and actions that need an existing entity."""
    assert are_opposite_actions(parse_action("lock_door"), parse_action("unlock_door"))
    assert not are_opposite_actions(parse_action("lock_door"), parse_action("close_door"))
    assert [True, True, True, False, False, False] == [
        needs_existing_entity(parse_action(name))
        for name in ("update_x", "assign_x", "ship_x", "charge_x", "create_x", "get_x")
    ]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Create a test user and delete it.", True),
        ("Create a user, then please delete it again", True),
        ("Create a user; clean up when you are done.", True),
        ("Create a user. Can I delete accounts myself?", False),
        ("Create a user", False),
        ("", False),
        ("Lege einen Nutzer an und lösche ihn danach.", True),
        ("Crée un compte, teste-le, puis supprime-le.", True),
        ("Створи користувача, а потім видали його.", True),
        ("创建一个用户，然后删除。", True),
        ("ユーザーを作って、テストしてから消してください。", True),
        ("Lege einen Nutzer an.", False),
        ("创建一个用户。", False),
    ],
)
def test_requests_for_both_steps(text, asked):
    """The text must state the order; in other languages a word such as "then" is enough."""
    assert asked == requests_both_steps(
        parse_action("create_user"), parse_action("delete_user"), text
    )


@pytest.mark.parametrize(
    ("name", "does", "verb", "noun"),
    [
        ("POST /refunds", VerbEffect.MAKE, "create", ("refund",)),
        ("PATCH /users/{user_id}/email", VerbEffect.CHANGE, "update", ("email",)),
        ("DELETE /orders/{id}", VerbEffect.UNMAKE, "delete", ("order",)),
    ],
)
def test_a_route_is_a_verb_and_the_path_of_a_thing(name, does, verb, noun):
    """The method gives the verb, and the last named step of the path gives the noun."""
    read = parse_action(name)

    assert (does, verb, noun) == (read.does, read.verb, read.noun)


@pytest.mark.parametrize(
    ("name", "verb"),
    [
        ("Sports.getTournamentSchedule", "get"),
        ("Education_createStandardizedTest", "create"),
        ("Weather_find_places", "find"),
        ("find_order", "find"),
        ("schedule_posts", "schedule"),
    ],
)
def test_a_verb_that_is_also_a_noun(name, verb):
    """After another verb it is a noun: `get_tournament_schedule` reads."""
    assert verb == parse_action(name).verb
