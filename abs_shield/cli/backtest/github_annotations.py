"""A backtest as GitHub workflow commands, which annotate the policy's file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from abs_shield.backtest import Example, Kind
from abs_shield.cli.backtest.backtest_summary import layers_text, summary
from abs_shield.cli.backtest.compared_policies import BacktestResult, in_repository
from abs_shield.core import Finding
from abs_shield.policy.source_location import SourceLocation
from abs_shield.replay import BadLine
from abs_shield.text.safe_display import escaped, quantity

_MOST = 10
"""Maximum annotations of one kind; GitHub shows no more of one level in a step."""
_SAYS = {
    Kind.ALLOW_TO_BLOCK: ("allowed", "blocked"),
    Kind.BLOCK_TO_ALLOW: ("blocked", "allowed"),
    Kind.CLEAN_TO_FLAG: ("clean", "flagged"),
    Kind.FLAG_TO_CLEAN: ("flagged", "clean"),
}
_MILD = frozenset({Kind.CLEAN_TO_FLAG, Kind.FLAG_TO_CLEAN})
_NAME = 200  # a tool's name may be a model's text, and an annotation has little room


def commands(done: BacktestResult, *, failing: tuple[Kind, ...]) -> Iterator[str]:
    """
    Yield a line for each kind of change and tool, and a summary.

    Args:
        done: The backtest.
        failing: The kinds that make the backtest fail, shown as errors; others are warnings or
            notices.
    """
    for kind in reversed(Kind):
        # errors only for what fails the command, so that annotations and exit code agree
        level = "error" if kind in failing else "notice" if kind in _MILD else "warning"
        tools = [(tool, n) for (k, tool), n in done.comparison.tools.most_common() if k is kind]
        for tool, count in tools[:_MOST]:
            yield _annotation(done, kind, tool, count, level=level)
        if len(tools) > _MOST:
            rest = f"and {quantity(len(tools) - _MOST, 'tool')} more; `--format json` has them all"
            yield command(level, rest, {"title": f"backtest: {kind}"})
    for note in done.notes():
        yield command("warning", note, {"title": "backtest"})
    yield command("notice", summary(done), {"title": "backtest"})


def bad_line_command(line: BadLine) -> str:
    """Return an unreadable line as an error at its own file and line."""
    where = (
        {}
        if line.path == "-"
        else _location_properties(in_repository(SourceLocation(line.path, line.line)))
    )
    return command("error", escaped(str(line), limit=1_000), {**where, "title": "backtest"})


def command(level: str, message: str, properties: Mapping[str, str]) -> str:
    r"""
    Return a workflow command as one line, with its text escaped.

    >>> command("error", "100 %\n::set-env", {"title": "a: b, c"})
    '::error title=a%3A b%2C c::100 %25%0A::set-env'
    """
    attributes = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {attributes}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    # or a name could end the property and begin a command of its own
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _annotation(done: BacktestResult, kind: Kind, tool: str, count: int, *, level: str) -> str:
    first = done.comparison.firsts[kind, tool]
    name = escaped(tool, limit=_NAME)
    was, is_ = _SAYS[kind]
    change = f"{quantity(count, 'call')} of `{name}`: was {was}, is {is_}"
    message = f"{change} ({layers_text(done.comparison, kind, tool)}); {_example_text(first)}"
    return command(
        level,
        message,
        {**_location_properties(_location(done, first)), "title": f"backtest: {kind}: {name}"},
    )


def _example_text(first: Example) -> str:
    findings = first.appeared or first.disappeared
    why = f"{findings[0].check}: {findings[0].detail}" if findings else "; ".join(first.errors)
    run = f"{first.run_id} call {first.call_index}"
    return escaped(f"for one, {run}: {why}" if why else f"for one, {run}", limit=500)


def _location(done: BacktestResult, first: Example) -> SourceLocation:
    """Return the location of the rejecting rule, if any, else of the new policy."""
    # the rule first: its line explains the change, the policy's line only names it
    ruled = (in_repository(_rule_location(finding)) for finding in first.appeared)
    return next((at for at in ruled if at.file), None) or in_repository(done.new.place)


def _rule_location(finding: Finding) -> SourceLocation:
    file, line = finding.evidence.get("file"), finding.evidence.get("line")
    return (
        SourceLocation(file, line)
        if isinstance(file, str) and isinstance(line, int)
        else SourceLocation()
    )


def _location_properties(place: SourceLocation) -> dict[str, str]:
    if not place.file:
        return {}
    return {"file": place.file} | ({"line": str(place.line)} if place.line else {})
