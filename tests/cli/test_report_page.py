"""The page that `abs-shield report --html` writes: its contents and its links."""

from __future__ import annotations

import dataclasses
import re
from html.parser import HTMLParser

import pytest

from abs_shield import Shield, Tool, rule, shield
from abs_shield.stores import MemoryStore, open_store
from abs_shield.version import __version__
from tests.cli.shop import HOSTILE, judge_calls, order, policy, refund


class Page(HTMLParser):
    """The elements of a page by id and by class, each with its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.ids: dict[str, str] = {}
        self.classes: list[tuple[str, str]] = []
        self.links: list[tuple[str, str]] = []
        self._open: list[tuple[str, dict[str, str], int]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta",):
            self._open.append((tag, {k: v or "" for k, v in attrs}, len(self.texts)))

    def handle_data(self, data):
        self.texts.append(data)

    def handle_endtag(self, tag):
        name, attrs, start = self._open.pop()
        assert name == tag, f"{name} is closed by {tag}"
        text = "".join(self.texts[start:])
        if "id" in attrs:
            assert attrs["id"] not in self.ids
            self.ids[attrs["id"]] = text
        self.classes += [(kind, text) for kind in attrs.get("class", "").split()]
        if "href" in attrs:
            self.links.append((attrs["href"], text))

    def of(self, kind: str) -> list[str]:
        return [text for name, text in self.classes if name == kind]


@pytest.fixture
def report_page(command, tmp_path):
    """Return a function that writes the page of a log and parses it."""

    def page_of(log: str, *argv: str) -> Page:
        path = tmp_path / "page.html"
        done = command("report", log, "--html", path, *argv)
        assert (0, "") == (done.code, done.err)
        return Page(path.read_text())

    return page_of


@pytest.fixture
def log(tmp_path):
    return str(tmp_path / "log.db")


@rule(tool="refund")
def rates_are_known(amount: float) -> bool:
    """Raise an error for one amount."""
    if amount == 666:
        raise ConnectionError("no rates")
    return amount <= 500


@pytest.fixture
def shop(log):
    """Write a log of three days with a rule that raises, blocked calls and an unseen order."""
    memory, store = MemoryStore(), open_store(log)
    calls = [order(1), refund(2, 900), refund(3, 666), refund(4)] * 3
    judge_calls(memory, calls, declared=policy(rules=[rates_are_known]))
    for n, decision in enumerate(memory.scan()):
        at = 1_767_225_600.0 + 86_400 * (n // 4)
        store.append(dataclasses.replace(decision, id=f"d-{n}", at=at))
    assert store.close()
    return log


def test_a_layer_that_raised_is_marked_as_an_error(shop, report_page):
    """Its cell has the error sign and the error class, and its tool is listed first."""
    page = report_page(shop)

    assert ["3E 3!"] == [text for text in page.of("error") if text[0].isdigit() and "E" in text]
    assert page.of("heat")[0].index("refund") < page.of("heat")[0].index("get_order")


def test_the_page_begins_with_tiles(shop, report_page):
    """Tiles show calls, blocks, errors and labels; a line has the time and the version."""
    page = report_page(shop)

    assert ["calls1212 sessions", "strict would block650 % of the calls"] == page.of("tile")[:2]
    assert "internal errors3not judged" in page.of("tile")
    assert re.search(
        rf"made \d{{4}}-\d\d-\d\d \d\d:\d\d UTC, abs_shield {__version__}", page.of("made")[0]
    )


def test_days_are_drawn(shop, report_page):
    """Each day has a bar for each series, with its figures in the title."""
    page = report_page(shop)
    titles = [text for text in page.texts if re.fullmatch(r"2026-01-0[123]: .*", text)]

    assert 12 == len(titles)
    assert {"2026-01-01: 4 calls", "2026-01-03: 50 % would block", "2026-01-02: 25 % errors"} <= {
        *titles
    }


def test_every_link_has_its_target(shop, report_page):
    """Cells link to their findings, and ids link to their decisions."""
    page = report_page(shop)
    targets = {href[1:] for href, _ in page.links}

    assert targets <= page.ids.keys()
    assert {"3E 3!", "d-9", "d-5"} <= {text for _, text in page.links}
    (anchor,) = {href[1:] for href, text in page.links if text == "3E 3!"}
    assert "rule/arguments/amountHALLUCINATED3d-9 d-5 d-1" in page.ids[anchor]
    assert "raised ConnectionError (3)" in page.ids[anchor]


def test_a_decision_is_described_without_values(shop, report_page):
    """The description has the verdict and each finding, and no value of an argument."""
    page = report_page(shop)
    (anchor,) = {href[1:] for href, text in page.links if text == "d-9"}

    assert (
        "HALLUCINATED by impossible_state: rule at /arguments/amount, strength 1"
        in (page.ids[anchor])
    )
    assert "strict mode would have blocked it" in page.ids[anchor]
    assert not re.search(r"\b900\b|W[0-9]", "".join(page.texts))


def test_values_are_shown_with_an_option(shop, report_page):
    """With `--values` the description of a decision includes the values of the arguments."""
    page = report_page(shop, "--values")
    (anchor,) = {href[1:] for href, text in page.links if text == "d-9"}

    assert re.search(r"\b900\b", page.ids[anchor])


def test_hostile_texts_are_escaped(log, report_page, tmp_path):
    """Texts of a model, a layer or a tool are escaped everywhere on the page."""

    def broken(call, session):
        raise ValueError(HOSTILE)

    tools = [Tool(name=HOSTILE, parameters={"type": "object", "additionalProperties": False})]
    store = open_store(log)
    declared = shield.configure(
        mode="audit", tools=tools, layers=["phantom_tool", "parameter_mismatch", broken]
    )
    desk = Shield(declared, store=store, hooks=None)
    with desk.session(agent=HOSTILE):
        desk.check_call({"name": HOSTILE, "arguments": {HOSTILE: HOSTILE}})
    assert desk.close()
    page = report_page(log, "--values", "--by", "agent")

    raw = (tmp_path / "page.html").read_text()
    assert not [mark for mark in ("<script", "\x1b", "\u202e") if mark in raw]
    assert any("<script>" in text for text in page.ids.values())
    assert {"#f0", "#f1", "#d0"} >= {href for href, _ in page.links} > set()


def test_a_log_that_is_not_intact_is_reported_first(shop, command, tmp_path):
    """With `--verify` the page has a warning, and the exit code is 1."""
    import sqlite3

    with sqlite3.connect(shop) as database:
        database.execute("DELETE FROM records WHERE seq = 4")
    database.close()
    path = tmp_path / "page.html"
    done = command("report", shop, "--verify", "--html", path)

    assert 1 == done.code
    assert ["THE LOG IS NOT INTACT"] == [text[:21] for text in Page(path.read_text()).of("broken")]
