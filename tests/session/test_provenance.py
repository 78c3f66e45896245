"""The origin of a value: it is found in any spelling, but not as a part, and not in an echo."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from io import BytesIO, StringIO
from pathlib import PurePath
from time import monotonic
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, computed_field, field_serializer

from abs_shield import Session
from abs_shield.session import Executed, Limits
from abs_shield.session.provenance import Introduced, Provenance
from abs_shield.session.session_record import mentions_of, record_of
from abs_shield.session.token_index import USER
from abs_shield.shield.message_content import content_of

# A user's text, a value, and the form in which it is found; None if it is not found.
CASES = [
    ("refund tx_12345 please", "tx_12345", "exact"),
    ("refund tx_12345.", "TX_12345", "exact"),
    ("refund tx_12345 please", "tx_1", None),
    ("refund tx_12345 please", "tx_123456", None),
    ("refund tx_12345 please", "2345", None),
    ("order #W123, thanks", "W123", "exact"),
    ("order W123", "#W123", "exact"),
    ("order “W123”", "W123", "exact"),
    ("id: TX-12345!", "tx_12345", "variant"),
    ("id tx 12345", "TX-12345", "variant"),
    ("id TX12345", "tx-12345", "variant"),
    ("order Ｗ１２３", "W123", "exact"),
    ("or\u200bder W1\u200b23", "W123", "exact"),
    ("invoice 0000104417", "104417", None),
    ("invoice 104417", "0000104417", None),
    ("invoice 0000104417", 104417, "variant"),
    ("INV-0012", 12, "variant"),
    ("a meeting of 60 minutes", "00000060", None),
    ("0 of 7 failed", "0000000", None),
    ("paid 60", "00000060.00", None),
    ("order 555-123-2002", "7555-123-2002", None),
    ("order 5551232002", "75551232002", None),
    ("order 5551232002", "05551232002", None),
    ("order 12345678", "9912345678", None),
    ("call 555-123-2002", "+1 555-123-2002", "typed"),
    ("call 555-123-2002", "7555-123-2002", None),
    ("parcel 1Z 999 AA1 01 2345 6784", "1Z999AA10123456784", "variant"),
    ("my IBAN: DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "variant"),
    ("card 4111-1111-1111-1111", "4111 1111 1111 1111", "variant"),
    ("card ending in 7334", "credit_card_7334", None),
    ("Maria Santos wrote", "maria santos", "exact"),
    ("Maria Santos wrote", "Maria Lopez", None),
    ("José Muñoz wrote", "Jose Munoz", "variant"),
    ("Jürgen Müller wrote", "Juergen Mueller", "typed"),
    ("ship to Łódź", "Lodz", "variant"),
    ("to New-York", "New York", "variant"),
    ("8-bit microcontrollers", "8-bit microcontroller", "variant"),
    ("call (555) 123-4567 now", "+1 555 123 4567", "typed"),
    ("call 030 12 34 56 78", "+49 30 12345678", "typed"),
    ("call 88123456", "99988123456", None),
    ("paid $1,500.00", 1500, "typed"),
    ("zahlte 1.500,00 €", 1500, "typed"),
    ("about 20k", 20000, "typed"),
    ("on May 20th", "2024-05-20", "typed"),
    ("on 5/20/2024", "2024-05-20", "typed"),
    ("2024年5月20日", "2024-05-20", "typed"),
    ("on May 21st", "2024-05-20", None),
    ("mail Mia.Li@Example.com.", "mia.li@example.com", "exact"),
    ("mail mia.li@x.org", "li@x.org", None),
    ("mail mia@x.org.uk", "mia@x.org", None),
    ("see https://x.org/orders/W9", "W9", "part"),
    ("see x.org/a", "https://www.x.org/a/", "typed"),
    ("the repo team/app", "team%2Fapp", "exact"),
    ("track 2X485T9Z5", "spotify:track:2X485T9Z5", "composed"),
    ("tag v2024.10.3", "refs/tags/v2024.10.3", "composed"),
    ("file /etc/app/a.txt", "/etc/app", "variant"),
    ("file /etc/app/a.txt", "/etc/app/b.txt", None),
    ("file /etc/app/a.txt", "/etc/ap", None),
    ("in /srv/app there is main.py", "/srv/app/main.py", "composed"),
    ("in src: from lib.names import x", "src/lib/names.py", "composed"),
    ("names are firstname.lastname@x.org. Ask Ann O'Dea.", "ann.odea@x.org", "composed"),
    ("names are firstname.lastname@x.org. Ask Ann O'Dea.", "bob.odea@x.org", None),
    ("ids are 'RPT-{game}-{kind}'; game 7731, kind final", "RPT-7731-final", "composed"),
    ("my SSN is 555-88-1234", "1234", None),
    ("on 2024-05-20", "2024", None),
    ("order ORD-2024-7731-B", "ORD-2024", None),
    ("pay 192.168.10.44", "16810", None),
    ("order ORD-7731", "7731", "part"),
    ("die TX-12345-Bestellung", "tx_12345", "variant"),
    ("open https://x.org/" + "ab1" * 90, "https://x.org/" + "ab1" * 90, "exact"),
    ("open https://x.org/" + "ab1" * 90, "https://x.org/" + "ab1" * 89, None),
    ("mail dora, her site is dora-site.com", "dora@dora-site.com", None),
]

TOO_MANY = "the result of a call with more values than are compared"


@pytest.mark.parametrize(("user_text", "value", "how"), CASES)
def test_the_form_of_a_match(user_text, value, how):
    """A value is found as a whole, in any usual spelling, but not as a part of a longer value."""
    session = Session()
    session.user(user_text)

    origin = session.origin(value)

    assert how == (origin and origin.how)


RETURNED = [
    ({"id": "ZFA04Y", "n": [1, {"p": 12.5}]}, "ZFA04Y", ("id",)),
    ({"methods": {"card_88": {"brand": "visa"}}}, "card_88", ("methods",)),
    ({"p": 12.5}, 12.5, ("p",)),
    ('{"order": {"user_id": "u-7"}}', "u-7", ("user_id",)),
    ({"raw": '[{"sku": "A-9"}]'}, "A-9", ("sku",)),
    ("- id_: '27'\n  title: Team lunch with all of us", "27", ("id_",)),
    ("name\\u0020caf\\u00e9 is a long text with escapes that nobody decodes", "café", ()),
]


@pytest.mark.parametrize(("value", "asked", "fields"), RETURNED)
def test_the_values_of_a_result(value, asked, fields):
    """Scalars, keys, JSON in strings and labelled lines are indexed with their fields."""
    session = Session()
    session.tool_result("get", value)

    assert fields == session.origin(asked).fields


def test_the_most_trusted_source_is_reported():
    """The system comes before the user and the user before results, whichever was first."""
    session = Session()
    session.tool_result("list", {"id": "a-1"}, call_id="c1")
    assert ("tool", "list", "c1") == (
        session.origin("a-1").source,
        session.origin("a-1").tool,
        session.origin("a-1").call_id,
    )
    session.user("take a-1")
    assert "user" == session.origin("a-1").source
    session.system("a-1 is the default")
    assert "the system" == str(session.origin("a-1"))


def test_the_agents_own_texts_are_not_mentions():
    """Texts and calls of the assistant do not count."""
    session = Session()
    session.user("Refund it.")
    session.assistant("I will refund tx_99999.")

    assert session.origin("tx_99999") is None


def test_an_echo_is_not_a_mention():
    """A result that only repeats an argument of its call does not count as a mention."""
    session = Session()
    session.user("Refund it.")
    session.add(
        [
            {
                "role": "assistant",
                "tool_calls": [{"id": "c1", "name": "get", "arguments": {"id": "tx_99999"}}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": '{"id": "tx_99999", "sum": "u-8"}'},
        ]
    )

    assert (None, "get") == (session.origin("tx_99999"), session.origin("u-8").tool)


ECHOES = [
    ("search", {"query": "tx_99999"}, {"query": "tx_99999", "results": []}),
    ("search", {"query": "tx_99999"}, "No results for tx_99999."),
    ("send_email", {"body": "Refund tx_99999 now"}, {"body": "Refund tx_99999 now"}),
    ("send_message", {"content": "see tx_99999"}, "Sent: see tx_99999"),
    ("open", {"url": "https://x.org/" + "a" * 80 + "?q=tx_99999"}, "at tx_99999"),
    ("get", {"ids": [f"tx_{n}" for n in range(99_400, 100_000)]}, "tx_99999 is not there"),
    ("get", {"order_id": "#W9999999"}, "Order 9999999 is not in the list"),
]


@pytest.mark.parametrize(("tool", "arguments", "value"), ECHOES)
def test_an_echo_in_another_form_is_not_a_mention(tool, arguments, value):
    """Echoes are recognised in free text, long values, long lists and other spellings."""
    session = Session()
    session.user("Refund it.")
    call = {"id": "c1", "name": tool, "arguments": arguments}
    answer = {"role": "tool", "tool_call_id": "c1", "content": value}
    session.add([{"role": "assistant", "tool_calls": [call]}, answer])

    assert (None, None) == (session.origin("tx_99999"), session.origin("9999999"))


def test_the_result_of_a_call_with_too_many_values_is_not_read():
    """A miss is then unknown, and earlier mentions still count."""
    session = Session()
    session.user("Refund tx_12345.")
    texts = {f"text_{n}": " ".join(f"tx_{n}{m:05}" for m in range(1_900)) for n in range(3)}
    session.add(
        [
            {"role": "assistant", "tool_calls": [{"id": "c1", "name": "get", "arguments": texts}]},
            {"role": "tool", "tool_call_id": "c1", "content": "tx_200017 is not there, ask u-8"},
        ]
    )

    assert ["unknown", "unknown", "user"] == [
        session.origin(value).source for value in ("tx_200017", "u-8", "tx_12345")
    ]
    assert TOO_MANY == mentions_of(session).unknown_reason


def session_with_echo(arguments: dict, content: object) -> Session:
    """Return a session in which a call with *arguments* returned *content*."""
    session = Session()
    session.user("Pay acct_1.")
    call = {"id": "c1", "name": "note", "arguments": arguments}
    answer = {"role": "tool", "tool_call_id": "c1", "content": content}
    session.add([{"role": "assistant", "tool_calls": [call]}, answer])
    return session


@pytest.mark.parametrize(
    "value",
    [
        "1a " * 2_000 + "acct_666",
        ["w"] * 2_100 + ["acct_666"],
        [[]] * 3_000 + ["acct_666"],
        {f"k{n}": 1 for n in range(2_100)} | {"k": "acct_666"},
        {"acct_666": 1},
        {"a": {"acct_666": []}},
    ],
    ids=["codes", "leaves", "empty lists", "keys", "key", "key of nothing"],
)
def test_an_echo_after_many_values_is_not_a_mention(value):
    """An echo is recognised after two thousand codes, and among keys."""
    session = session_with_echo({"text": value}, "saved: acct_666, as n-7")

    assert (None, "note") == (session.origin("acct_666"), session.origin("n-7").tool)


def test_an_echo_after_more_codes_than_are_respelt_is_not_a_mention():
    """Such codes are compared by letters and digits, and earlier mentions still count."""
    codes = " ".join(f"k{n}" for n in range(1_200))
    text = f"{codes} acct_666 acct_1 acct-1 W-77"
    session = session_with_echo({"text": text}, "acct_666, acct_1, acct-1, W-77 as n-7")

    assert [None, None, None] == [session.origin(one) for one in ("acct_666", "W-77", "W77")]
    assert {"user"} == {session.origin(one).source for one in ("acct_1", "acct-1")}
    assert "note" == mentions_of(session).find_introduction("acct_666").tool
    assert mentions_of(session).find_introduction("acct-1") is None
    assert "note" == session.origin("n-7").tool
    assert "" == mentions_of(session).unknown_reason


def test_a_parameter_that_is_an_id_is_an_echo():
    """The name of a parameter may be an echo if the tool accepts any name."""
    session = session_with_echo({"acct_666": 1, "amount": 5}, '{"acct_666": 1, "amount": 5}')

    assert session.origin("acct_666") is None


def test_the_result_of_a_call_with_a_text_too_long_to_be_read():
    """The result is not read, and a miss is unknown."""
    session = session_with_echo({"text": "x" * 262_144 + " acct_666"}, "saved: acct_666")

    assert session.origin("acct_666").source == "unknown"
    assert TOO_MANY == mentions_of(session).unknown_reason


def test_a_call_with_very_many_values_is_read():
    """The result is read if the arguments have many numbers and a list of ids."""
    session = Session()
    session.user("Refund tx_12345.")
    body = " ".join(map(str, range(10_000, 12_000)))
    call = {"id": "c1", "name": "send", "arguments": {"body": body, "ids": [*range(1_000)]}}
    answer = {"role": "tool", "tool_call_id": "c1", "content": "11700 is not there, ask u-8"}
    session.add([{"role": "assistant", "tool_calls": [call]}, answer])

    assert (None, "send") == (session.origin("11700"), session.origin("u-8").tool)
    assert not mentions_of(session).unknown_reason


LARGE = [
    ("some 2 thousand", 2_000),
    ("2 Tausend", 2_000),
    ("3万 items", 30_000),
    ("2.5 million", 2_500_000),
    ("a12345", 12345),
    ("ID12345", 12345),
    ("1.234,00", 1234),
    ("12k", 12_000),
]


@pytest.mark.parametrize(("user_text", "value"), LARGE)
def test_a_number_is_found_in_each_of_its_forms(user_text, value):
    """Numbers that no text contains are not found in any form."""
    session = Session()
    session.user(user_text)

    assert session.origin(str(value)) is not None
    assert session.origin(str(value + 7)) is None


def test_the_output_of_a_command_is_not_an_echo():
    """A file that a command creates and prints counts as mentioned."""
    session = Session()
    session.user("Run it.")
    call = {"id": "c1", "name": "shell", "arguments": {"command": "make > out_2024.csv; ls"}}
    answer = {"role": "tool", "tool_call_id": "c1", "content": "out_2024.csv"}
    session.add([{"role": "assistant", "tool_calls": [call]}, answer])

    assert "tool" == session.origin("out_2024.csv").source


@dataclass
class Order:
    order_id: str


class SearchResult(BaseModel):
    order_id: str
    parts: list[Order]


OBJECTS = [
    Order("tx_1234"),
    SearchResult(order_id="x", parts=[Order("tx_1234")]),
    {"tx_1234"},
    b'{"id": "tx_1234"}',
    {"id": UUID("123e4567-e89b-12d3-a456-426614174000"), "other": PurePath("a/tx_1234")},
]


@pytest.mark.parametrize("value", OBJECTS, ids=lambda value: type(value).__name__)
def test_python_objects_are_read(value):
    """Values in models, dataclasses, sets, bytes and other types are found."""
    session = Session()
    session.user("Find it.")
    session.tool_result("find", value)

    assert "tool" == session.origin("tx_1234").source


class Serialised(BaseModel):
    """A model whose JSON form differs from its Python attributes."""

    n: int = 77123
    kept_for: timedelta = timedelta(minutes=90)
    secret: str = Field("hidden-5512", exclude=True)
    mark: int = 9

    @computed_field
    def order_id(self) -> str:
        """Return the id that is shown to the customer."""
        return f"ORD-0{self.n}-X"

    @field_serializer("mark")
    def _marked(self, mark: int) -> str:
        return f"MRK-{mark:05}"


class WithModelDump:
    """An object of another library with a `model_dump` method."""

    def model_dump(self, mode: str) -> dict[str, str]:
        """Return its fields."""
        return {"order_id": f"ORD-077123-{'X' if mode == 'json' else 'Y'}"}


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        (Serialised(), "ORD-077123-X"),
        ([{"orders": (Serialised(),)}], "ORD-077123-X"),
        (Serialised(), "MRK-00009"),
        (Serialised(), "PT1H30M"),
        (timedelta(minutes=90), "PT1H30M"),
        (WithModelDump(), "ORD-077123-X"),
        ({UUID("123e4567-e89b-12d3-a456-426614174000"): 1}, "123e4567-e89b-12d3-a456-426614174000"),
        (range(77123, 77125), 77124),
        (b"\xff\xfe\x07", "__4H"),
    ],
)
def test_the_json_form_of_an_object_is_indexed(value, seen):
    """Computed fields, serialised values and durations are found as in the tool's message."""
    session = Session()
    session.user("Find it.")
    session.tool_result("find", value)

    assert str(seen) in content_of(value)
    assert "tool" == session.origin(seen).source
    assert session.origin("hidden-5512") is None


@dataclass
class Node:
    """An object that refers to itself."""

    name: str
    all: list[Any] = field(default_factory=list)


def test_a_model_with_a_stream_or_a_cycle_is_read_by_its_fields():
    """No stream is consumed, and a cycle is read up to the bounds, in little time."""
    session, stream = Session(), iter("ab")
    session.tool_result("find", Node("tx_1234", [stream]))
    assert "a" == next(stream)
    assert "unknown" == session.origin("tx_9876").source

    session, nodes = Session(), [Node(f"tx_{n}") for n in range(2_000)]
    for node in nodes:
        node.all = nodes
    started = monotonic()
    session.tool_result("find", nodes[0])
    assert 10 > monotonic() - started
    assert "unknown" == session.origin("tx_9876").source


async def _answer():
    return "tx_1234"


async def _pieces():
    yield "tx_1234"


@pytest.mark.parametrize(
    "value",
    [
        (n for n in "ab"), {"deep": iter("ab")}, _pieces(), StringIO("tx_1234"),
        BytesIO(b"tx_1234"),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_an_unreadable_result_makes_misses_unknown(value):
    """A stream is not consumed, and misses are unknown after it."""
    session = Session()
    session.user("Find it.")
    session.tool_result("find", value)

    assert "unknown" == session.origin("tx_1234").source
    if isinstance(value, (StringIO, BytesIO)):
        assert 0 == value.tell()


def test_an_awaitable_makes_misses_unknown():
    """The value of an awaitable is unknown."""
    session = Session()
    session.user("Find it.")
    answer = _answer()
    session.tool_result("find", answer)
    answer.close()

    assert "unknown" == session.origin("tx_1234").source


class Row:
    """A row of a database, as an object-relational mapper returns it."""

    def __init__(self, transaction_id):
        self.transaction_id = transaction_id

    def __repr__(self):
        return f"Row(transaction_id={self.transaction_id!r}, total=20)"


class Response:
    """The response of an HTTP client."""

    def __str__(self):
        return "200 OK\ntransaction_id: tx_1234"


@pytest.mark.parametrize(
    "value",
    [Row("tx_1234"), [Row("tx_1234")], {"row": Row("tx_1234")}, Response(), KeyError("tx_1234")],
    ids=lambda value: type(value).__name__,
)
def test_the_text_of_an_object_of_an_unknown_class_is_indexed(value):
    """The id in its text is found, another one is not, and misses are not unknown."""
    session = Session()
    session.user("Find it.")
    session.tool_result("find", value)

    assert "tool" == session.origin("tx_1234").source
    assert session.origin("tx_9876") is None


class Handle:
    """An object without its own `__str__` and `__repr__`."""

    transaction_id = "tx_1234"


@pytest.mark.parametrize("value", [object(), Handle(), {"deep": Handle()}, [object()]])
def test_an_object_without_its_own_text_has_no_values(value):
    """Neither its members nor its memory address count, and misses are not unknown."""
    session = Session()
    session.user("Find it.")
    session.tool_result("find", value)

    assert session.origin("tx_1234") is None
    assert "" == mentions_of(session).unknown_reason


class Endless:
    """An object whose text is longer than the part of a message that is read."""

    def __str__(self):
        return "tx_1234 " + "word " * 500_000


class Breaking:
    """An object whose `__str__` raises."""

    def __str__(self):
        raise RuntimeError("detached")


@pytest.mark.parametrize("value", [Endless(), Breaking()])
def test_a_text_that_is_too_long_or_raises_makes_misses_unknown(value):
    """A miss is unknown if the text of a result was not read completely."""
    session = Session()
    session.user("Find it.")
    session.tool_result("find", value)

    assert "unknown" == session.origin("tx_9876").source


@pytest.mark.slow
def test_circular_and_deep_results_are_read_in_bounded_time():
    """A list that contains itself, and one with ten thousand levels, are read up to the bounds."""
    circle: list[Any] = []
    circle.extend([circle] * 2_000)
    deep: Any = ["tx_1234"] * 10_000
    for _ in range(70):
        deep = [deep]
    for value in (circle, deep):
        session = Session()
        session.user("Find it.")
        session.tool_result("find", value)

        assert "unknown" == session.origin("tx_1234").source


def test_too_many_prescribed_formats_make_misses_unknown():
    """A value in a format that was not stored is unknown, not unmentioned."""
    session = Session()
    session.user(" ".join(f"F{n}X-{{game}}" for n in range(60)))

    assert "unknown" == session.origin("f59x-7731").source


def test_an_error_is_not_a_mention():
    """A value in the text of an error does not count as mentioned."""
    session = Session()
    session.user("Refund it.")
    session.tool_result("get", "no such order: tx_99999", error=True)

    assert session.origin("tx_99999") is None


def test_origin_raises_for_other_types():
    """Only strings and numbers have an origin."""
    with pytest.raises(ValueError, match="give a string or a number"):
        Session().origin(["tx_1"])


@pytest.mark.parametrize(
    "limits", [Limits(keys=200), Limits(message=500)], ids=["keys", "one message"]
)
def test_misses_are_unknown_after_text_was_dropped(limits):
    """Beyond the limits of a session, a miss does not mean that a value is unmentioned."""
    session = Session(limits=limits)
    session.user("Refund tx_12345. " + " ".join(f"w{n}" for n in range(1_000)))

    assert "unknown" == session.origin("tx_99999").source


def test_memory_is_bounded():
    """The index has at most its number of keys, however long the run is."""
    session = Session(limits=Limits(keys=2_000, text=10_000))
    for n in range(300):
        session.tool_result("list", [{"id": f"item-{n}-{m}"} for m in range(50)])

    index = mentions_of(session)._index._index
    kept = sum(
        map(len, (*index._exact, *index._pairs, index._spellings.parts, index._spellings.squeezed))
    )
    assert kept <= 2_000
    assert index._recent_text._size <= 20_000


@pytest.mark.parametrize("order", [1, 40, 4_000])
def test_other_spellings_are_found_at_any_time(order):
    """Another spelling of the oldest and of the newest value is found at its first mention."""
    session = Session(limits=Limits(keys=400_000))
    for n in range(order):
        session.user(f"Order ORD-{n:05}-Xaver, {n:03} more words.")

    origin = [session.origin(f"ord {n:05}") for n in (0, order - 1)]
    assert [("variant", 1), ("variant", order)] == [(at.how, at.version) for at in origin]


def test_concurrent_first_queries_find_another_spelling():
    """A query waits while another thread indexes deferred text."""
    wanted = [f"ord-{n:05} two words" for n in range(192, 200)]
    for _ in range(50):
        session = Session()
        session.user(" ".join(f"Order ORD-{n:05}, two words." for n in range(200)))
        vouches = partial(mentions_of(session).vouches, kind_words=frozenset())
        with ThreadPoolExecutor(8) as pool:
            assert [True] * 8 == [*pool.map(vouches, wanted)]


def test_an_opaque_turn_makes_misses_unknown():
    """Content that only the model read may contain any value."""
    session = Session()
    session.user("Refund tx_12345.")
    session.opaque("an image")

    assert ("user", "unknown: an image") == (
        session.origin("tx_12345").source,
        str(session.origin("tx_99999")),
    )


def test_a_child_has_the_mentions_of_its_parent():
    """Mentions of the parent's run count for a sub-agent, but not the parent agent's texts."""
    parent = Session()
    parent.user("Refund tx_12345.")
    child = parent.child(agent="clerk")
    child.user("Please refund tx_99999.")

    assert ("user", None) == (child.origin("tx_12345").source, child.origin("tx_99999"))


def test_a_parent_has_the_results_of_its_child():
    """Results of a sub-agent count in the run that started it."""
    parent = Session()
    parent.user("Find the order.")
    child = parent.child(agent="clerk")
    record_of(child).add_execution(Executed(tool="find", arguments={}, value={"id": "o-7"}))
    record_of(child).show(Executed(tool="find", arguments={}), {"id": "o-7"})

    assert "tool" == parent.origin("o-7").source


def test_threads_write_into_one_session():
    """The results of concurrent calls are all indexed."""
    session = Session()
    session.user("List all.")

    def returned(n):
        session.tool_result(f"list{n}", [{"id": f"item-{n}-{m}"} for m in range(40)])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(returned, range(40)))

    assert all(session.origin(f"item-{n}-{m}") for n in range(40) for m in range(40))


LONG = "a" * 60_000


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize(
    "value",
    [
        LONG,
        "1" * 60_000,
        "a." * 30_000,
        "/a" * 30_000,
        "%2F" * 20_000,
        "é" * 60_000,
        "\ufdfa" * 20_000,
        "a@" * 30_000,
        "{a}-" * 15_000,
        "١" * 60_000,
        "\u200b" * 60_000,
        "ก็" * 30_000,
    ],
    ids=lambda value: ascii(value[:4]),
)
def test_difficult_texts_are_indexed_and_found(value):
    """Long, expanding, invisible and repetitive texts are indexed and looked up in bounded time."""
    session = Session()
    session.user(value + " and tx_12345")
    session.tool_result("get", {"v": value, "w": [value] * 3})
    session.origin(value)

    assert session.origin("tx_99999") is None or session.origin("tx_99999").source == "unknown"


def test_a_million_characters_and_ten_thousand_ids():
    """A long message is read up to its bound, and all ids of a long list are found."""
    session = Session(limits=Limits(keys=200_000))
    session.user("word " * 200_000)
    session.tool_result("list", [{"id": f"id-{n:05}"} for n in range(10_000)])

    assert all(session.origin(f"id-{n:05}") for n in range(0, 10_000, 97))
    assert "unknown" == session.origin("id-10001").source  # the message was cut


def test_letters_that_only_look_alike_are_others():
    """An identifier with a Cyrillic letter is another identifier."""
    session = Session()
    session.user("Pay acct_peter1")

    assert session.origin("acct_p\u0435ter1") is None


def test_a_value_without_letters_and_digits_is_looked_up() -> None:
    """An underscore alone is looked up like any other value."""
    session = Session()
    session.user("Please save it as report_7.")

    assert [None, None] == [session.origin(value) for value in ("_", "__")]


def _index_call(arguments: dict[str, Any], value: object, *before: str) -> Provenance:
    """Return the index of a run with texts of a user and the result of one call."""
    index = Provenance()
    for version, text in enumerate(before, 1):
        index.add_text(text, USER, version)
    index.add_result(value, 9, tool="pay", call_id="c1", arguments=arguments)
    return index


def test_a_value_that_its_result_does_not_repeat_is_introduced_by_its_call() -> None:
    index = _index_call({"account": "acct_666"}, "it is done")

    assert Introduced("pay", ("account",), 9) == index.find_introduction("acct_666")


def test_a_value_in_another_spelling_of_a_mention_is_not_introduced_by_its_call() -> None:
    """This is resolved on demand, as a search for every spelling takes too long for each call."""
    index = _index_call({"day": "2024-05-20"}, "it is done", "Book May 20th, 2024, please.")

    assert index.find_introduction("2024-05-20") is None
    index.add_text("It was 2024-05-20.", USER, 12)
    assert index.find_introduction("2024-05-20") is None


def test_a_value_that_is_mentioned_later_is_introduced_by_its_call() -> None:
    index = _index_call({"account": "acct_666"}, "it is done")
    index.add_text("acct_666 is mine", USER, 12)

    assert Introduced("pay", ("account",), 9) == index.find_introduction("acct_666")


@pytest.mark.parametrize(
    ("value", "repeated"),
    [
        ("2024-05-20", "booked for 5/20/2024"),
        ("1500", "paid 1,500.00 dollars"),
        ("+12025550147", "called 202-555-0147"),
        ("W2378156", "order 2378156 is closed"),
        ("00:1b:44:11:3a:b7", "device 001b.4411.3ab7"),
    ],
)
def test_an_echo_in_another_spelling_is_not_a_mention(value: str, repeated: str) -> None:
    for result in (repeated, {"note": repeated}, [repeated.split(" ")]):
        index = _index_call({"value": value}, result)

        assert index.find(value) is None, result
