"""A policy is loaded by its place; errors are messages of one line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from abs_shield import Policy, PolicyError, load_policy
from abs_shield.core import Mode
from abs_shield.replay import replay

GOOD = """
from __future__ import annotations
from dataclasses import dataclass
from abs_shield import shield

@dataclass
class Own:
    limit: int = 5

policy = shield.configure(mode="audit", retries=Own().limit)
mapping = {"mode": "audit"}
wrong = {"mode": "audti"}
number = 5

class team:
    policy = policy
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "my_rules.py"
    path.write_text(GOOD)
    return path


def refusal(place: str) -> str:
    with pytest.raises(PolicyError) as caught:
        load_policy(place)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("attribute", ["policy", "mapping", "team.policy"])
def test_from_a_file(file: Path, attribute: str) -> None:
    """A policy or a mapping is loaded from a file; the attribute may be nested."""

    assert Mode.AUDIT is load_policy(f"{file}:{attribute}").mode


def test_from_a_module(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy is loaded from a module."""
    monkeypatch.syspath_prepend(str(file.parent))
    monkeypatch.delitem(sys.modules, "my_rules", raising=False)

    assert isinstance(load_policy("my_rules:policy"), Policy)


@pytest.mark.parametrize("place", ["", "x", ":", "x:", ":x"])
def test_an_invalid_place(place: str) -> None:
    """A place has a module and an attribute."""

    assert "is not the place of a policy; write `package.module:attr`" in refusal(place)


def test_a_file_without_an_attribute() -> None:
    """The message has the file with the usual attribute."""

    assert "not the place of a policy; write `my_rules.py:policy`" in refusal("my_rules.py")


def test_a_wrong_declaration_names_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path is relative to the working directory; a mapping has only a file."""
    (tmp_path / "wrong.py").write_text(
        "from abs_shield import shield\n\npolicy = shield.configure(mode='stric')\n"
    )
    (tmp_path / "data.py").write_text("policy = {'mode': 'stric'}\n")
    monkeypatch.chdir(tmp_path)

    assert refusal("wrong.py:policy").startswith("wrong.py:3: policy: `mode`: ")
    assert refusal("data.py:policy").startswith("data.py: policy: `mode`: ")


def test_a_misspelt_file_or_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearest file beside it is suggested."""
    (tmp_path / "house.py").write_text("policy = {}")
    monkeypatch.chdir(tmp_path)

    assert "there is no file `hous.py`; did you mean `house.py`?" in refusal("hous.py:policy")
    assert f"did you mean `{tmp_path}/house.py`?" in refusal(f"{tmp_path}/hous.py:policy")
    assert "no module `hause`; did you mean `house`?" in refusal("hause:policy")


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("polcy", "did you mean `policy`?"),
        ("team.polcy", "did you mean `policy`?"),
        ("number", "is not a policy but `int`; create it with `shield.configure`"),
        ("wrong", "did you mean `audit`?"),
    ],
)
def test_a_wrong_attribute(file: Path, attribute: str, message: str) -> None:
    """The message names a misspelt attribute, or the type of one that is not a policy."""

    assert message in refusal(f"{file}:{attribute}")


def test_no_such_module() -> None:
    """The message names the missing module."""

    assert "there is no module `no_such_module`" in refusal("no_such_module:policy")


def test_no_such_file(tmp_path: Path) -> None:
    """The message names the missing file."""

    assert "there is no file" in refusal(f"{tmp_path}/none.py:policy")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import no_such_module", "there is no module `no_such_module`"),
        ("def", "SyntaxError"),
        ("raise KeyError('a\\nb')", "KeyError"),
        ("raise ValueError('a\\nb\\x1b[31m')", "a\\nb\\x1b[31m"),
        ("from abs_shield import shield; shield.configure(mod='x')", "did you mean `mode`?"),
    ],
)
def test_a_file_that_raises(tmp_path: Path, text: str, message: str) -> None:
    """The message has the reason in one line."""
    path = tmp_path / "broken.py"
    path.write_text(text)

    assert message in refusal(f"{path}:policy")


def test_a_file_that_raises_leaves_no_module(tmp_path: Path) -> None:
    """A module that raised is removed."""
    path = tmp_path / "half_way.py"
    path.write_text("raise KeyError")
    refusal(f"{path}:policy")

    assert [name for name in sys.modules if "half_way" in name] == []


def test_two_versions_of_one_file(tmp_path: Path) -> None:
    """Files of the same name in two folders are two modules."""
    for folder, limit in (("old", 5), ("new", 9)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "my_rules.py").write_text(GOOD.replace("int = 5", f"int = {limit}"))

    old = load_policy(f"{tmp_path / 'old' / 'my_rules.py'}:policy")
    new = load_policy(f"{tmp_path / 'new' / 'my_rules.py'}:policy")

    assert (5, 9) == (old.retries, new.retries)
    assert old.revision != new.revision


def test_a_mapping_has_the_place_of_its_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy that is loaded from a mapping has the place of the mapping's module."""
    monkeypatch.syspath_prepend(str(file.parent))
    monkeypatch.delitem(sys.modules, "my_rules", raising=False)

    by_path, by_name = load_policy(f"{file}:mapping"), load_policy("my_rules:mapping")

    assert [str(file)] * 2 == [str(by_path.place), str(by_name.place)]


SPLIT = """
from house import LIMITS, limits
from abs_shield import rule, shield

@rule(tool="refund")
def small(amount: float) -> bool:
    "A refund is small."
    from later import most
    return amount <= most()

policy = shield.configure(mode="audit", retries=limits()[0], rules=[small])
"""


def split(folder: Path, retries: int) -> str:
    """Write a policy of three files, and return its place."""
    folder.mkdir()
    (folder / "clinic.py").write_text(SPLIT)
    (folder / "house.py").write_text(f"LIMITS = [{retries}]\ndef limits(): return LIMITS\n")
    (folder / "later.py").write_text("def most(): return 500\n")
    return f"{folder / 'clinic.py'}:policy"


@pytest.fixture
def restored_imports(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = {*sys.modules}
    yield
    for name in {*sys.modules} - before:
        del sys.modules[name]


@pytest.mark.usefixtures("restored_imports")
def test_a_file_imports_the_modules_beside_it(tmp_path: Path) -> None:
    """It may import them at its top, and in a rule."""
    policy = load_policy(split(tmp_path / "app", 7))

    assert 7 == policy.retries
    assert [True, False] == [policy.rules[0].function(amount=n) for n in (400, 600)]


@pytest.mark.usefixtures("restored_imports")
def test_two_versions_have_their_own_siblings(tmp_path: Path) -> None:
    """In a backtest of two folders, each policy imports the modules of its own folder."""
    places = [split(tmp_path / name, retries) for name, retries in (("new", 3), ("old", 4))]

    assert [3, 4, 3] == [load_policy(place).retries for place in (*places, places[0])]


MARKED = """
from typing import Annotated
from abs_shield import Shield, Target, shield, shielded

policy = shield.configure(mode="strict")
firewall = Shield(policy, hooks=None)

@shielded(firewall)
def drop(name: Annotated[str, Target(must_be_seen=True)]) -> str:
    "Drop a table."
    return "dropped"
"""


def test_a_shield_is_its_policy_with_the_marks_of_its_functions(tmp_path: Path) -> None:
    """Recorded calls are judged by a Shield's place as the Shield itself judges them."""
    file = tmp_path / "my_marks.py"
    file.write_text(MARKED)
    call = {"name": "drop", "arguments": {"name": "alpha"}}
    tool = {"name": "drop", "parameters": {"properties": {"name": {"type": "string"}}}}
    messages = [
        {"role": "user", "content": "Drop the first."},
        {"role": "assistant", "tool_calls": [call]},
    ]
    runs = tmp_path / "runs.jsonl"
    runs.write_text(json.dumps({"run_id": "r1", "tools": [tool], "messages": messages}))

    verdicts = [
        [str(one.decision.verdict) for one in replay([str(runs)], policy=load_policy(place))]
        for place in (f"{file}:policy", f"{file}:firewall")
    ]

    assert [["CLEAN"], ["HALLUCINATED"]] == verdicts
