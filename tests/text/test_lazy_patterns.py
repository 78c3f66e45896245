"""A lazy pattern is compiled with its first use, and then acts like a compiled one."""

from __future__ import annotations

import re
from copy import deepcopy
from importlib import import_module
from pkgutil import walk_packages

import pytest

import abs_shield.plan
import abs_shield.schema
import abs_shield.session
import abs_shield.text
from abs_shield.text.lazy_pattern import lazy_pattern

PACKAGES = (abs_shield.plan, abs_shield.schema, abs_shield.session, abs_shield.text)


def patterns():
    """Return every lazy pattern of the packages that a Shield imports, by its name."""
    kind = type(lazy_pattern(""))
    found = {}
    for package in PACKAGES:
        for info in walk_packages(package.__path__, f"{package.__name__}."):
            for name, value in vars(import_module(info.name)).items():
                if isinstance(value, kind):
                    found[f"{info.name}.{name}"] = value
    return found


def test_a_pattern_is_not_compiled_before_its_first_use(monkeypatch):
    """Declaring a pattern compiles nothing, and using it twice compiles it once."""
    compiled = []
    monkeypatch.setattr(re, "compile", lambda *args: compiled.append(args) or re._compile(*args))
    digits = lazy_pattern(r"\d+", re.ASCII)
    before = [*compiled]
    numbers = digits.findall("1 and 22"), digits.findall("333")

    assert [] == before
    assert [(r"\d+", re.ASCII)] == compiled
    assert (["1", "22"], ["333"]) == numbers


@pytest.mark.parametrize("flags", [0, re.IGNORECASE])
def test_a_pattern_has_everything_that_a_compiled_one_has(flags):
    """Every public method and attribute is that of the compiled pattern."""
    lazy, compiled = lazy_pattern("(?P<word>a)b", flags), re.compile("(?P<word>a)b", flags)
    names = [name for name in dir(compiled) if not name.startswith("_")]

    for name in names:
        expected, actual = getattr(compiled, name), getattr(lazy, name)
        assert callable(actual) if callable(expected) else expected == actual
    assert compiled.sub("x", "aAbB") == lazy.sub("x", "aAbB")


def test_a_pattern_can_be_copied():
    """A copy of an unused pattern works, too."""
    assert deepcopy(lazy_pattern("a")).search("cab")


def test_an_unknown_attribute_is_an_error():
    """A misspelt method is reported like one of a compiled pattern."""
    with pytest.raises(AttributeError, match="serch"):
        _ = lazy_pattern("a").serch  # type: ignore[attr-defined]


def test_every_lazy_pattern_is_valid():
    """An invalid pattern would only raise when a call needs it."""
    found = patterns()
    for pattern in found.values():
        pattern.search("")

    assert len(found) > 30
