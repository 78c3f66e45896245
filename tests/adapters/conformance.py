"""One conformance suite for all adapters: `conforms(DRIVER)` returns a test class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from abs_shield import Decision, Verdict
from abs_shield.core import Subject
from tests.adapters.scenes import MADE_UP, SCENES, Call, Driver, Ran, Scene, Shop, firewall

EXECUTES = "gen_ai.operation.name"


def played(driver: Driver, scene: Scene, mode: str | None) -> Ran:
    """Play one scene; without a mode, without a Shield."""
    guard = None if mode is None else firewall(mode)
    with Shop.decorated(guard if scene.decorated else None):
        if scene.delegates:
            return driver.delegate(scene.turns, firewall=guard)
        return driver.run(scene.turns, firewall=guard, stream=scene.streams)


def proposed(scene: Scene) -> list[str]:
    """Return the ids of all calls of a scene."""
    return [call.id for call in calls_of(scene)]


def calls_of(scene: Scene) -> list[Call]:
    """Return all calls of a scene."""
    return [call for turn in scene.turns if not isinstance(turn, str) for call in turn]


def ends_so(driver: Driver, scene: Scene, error: BaseException) -> bool:
    """Return whether the framework ends a scene with this error without a Shield, too."""
    bare = played(driver, scene, None).error
    return type(bare) is type(error) and str(bare) == str(error)


def strict(driver: Driver, name: str) -> Iterator[str]:
    """Return what is wrong with a scene in strict mode."""
    scene = SCENES[name]
    ran = played(driver, scene, "strict")
    if ran.error is not None and not (scene.bad is None and ends_so(driver, scene, ran.error)):
        yield f"the run raised {ran.error!r}"
    if sorted(scene.runs) != sorted(tool for tool, _ in ran.ran):
        yield f"{[tool for tool, _ in ran.ran]} ran, not {list(scene.runs)}"
    calls = of_calls(ran)
    by_id = {decision.call_id: decision for decision in calls}
    once = Counter(decision.call_id for decision in calls)
    if once != Counter(proposed(scene)):
        yield f"decisions a call: {dict(once)}"
    yield from results(ran, scene)
    if scene.bad is None:
        yield from (d.explain() for d in calls if d.verdict is not Verdict.CLEAN)
        return
    bad = by_id.get(scene.bad)
    if bad is None or not bad.blocked:
        yield "the bad call was not blocked"
    elif scene.codes.isdisjoint(finding.code for finding in bad.findings):
        yield f"findings: {bad.explain()}"
    elif scene.decorated and bad.verdict is not Verdict.HALLUCINATED:
        yield f"what was declared does not hold: {bad.explain()}"
    yield from _fed_back(ran, scene.bad, "blocked")


def of_calls(ran: Ran) -> list[Decision]:
    """The decisions about the model's calls; a decorated tool inside the framework's has no id."""
    return [d for d in ran.decisions if d.subject is Subject.CALL and d.call_id is not None]


def results(ran: Ran, scene: Scene) -> Iterator[str]:
    """Return what is wrong with the results of a scene."""
    judged = Counter(d.call_id for d in ran.decisions if d.subject is Subject.RESULT)
    if any(times > 1 for times in judged.values()):
        yield f"decisions a result: {dict(judged)}"
    withheld = {d.call_id for d in ran.decisions if d.subject is Subject.RESULT and d.blocked}
    if withheld != {scene.withheld} - {None}:
        yield f"the results of {withheld} were withheld"
    if scene.withheld is not None:
        yield from _fed_back(ran, scene.withheld, "withheld")


def _fed_back(ran: Ran, call_id: str, status: str) -> Iterator[str]:
    reply = ran.replies.get(call_id, "").replace(
        "\\", ""
    )  # a framework may quote it in its own JSON
    if '"status"' not in reply or f'"{status}"' not in reply:
        yield f"the model received {reply!r}, not the feedback"


def audit(driver: Driver, name: str) -> Iterator[str]:
    """Return how audit mode differs from the framework without a Shield."""
    scene = SCENES[name]
    bare, ran = played(driver, scene, None), played(driver, scene, "audit")
    if bare.requests != ran.requests:
        yield f"the model was sent\n{ran.requests}\nnot\n{bare.requests}"
    if _unordered(bare.ran) != _unordered(ran.ran) or bare.answer != ran.answer:
        yield f"{ran.ran} ran, {ran.answer!r} was answered; not {bare.ran}, {bare.answer!r}"
    if type(bare.error) is not type(ran.error) or str(bare.error) != str(ran.error):
        yield f"the run raised {ran.error!r}, not {bare.error!r}"
    calls = of_calls(ran)
    blocked = [decision.call_id for decision in ran.decisions if decision.blocked]
    if blocked:
        yield f"{blocked} were blocked"
    caught = [decision.call_id for decision in calls if decision.would_block]
    if caught != ([] if scene.bad is None else [scene.bad]):
        yield f"strict mode would have blocked {caught}"
    made_up = [d.call_id for d in ran.decisions if d.subject is Subject.RESULT and d.would_block]
    if made_up != [call.id for call in calls_of(scene) if call.name == MADE_UP]:
        yield f"strict mode would have withheld the results of {made_up}"


def _unordered(ran: list[tuple[str, dict[str, object]]]) -> list[str]:
    """Return what ran; calls of one turn may run side by side, and start in any order."""
    return sorted(map(repr, ran))


def seen(driver: Driver) -> Iterator[str]:
    """Return what the session did not record, and what the spans count twice."""
    ran = played(driver, SCENES["parallel calls"], "strict")
    if ran.origin != "tool":
        yield f"`pc_777` of a tool's result comes from {ran.origin!r}"
    claimed = Counter(
        attributes.get("gen_ai.tool.name")
        for _, attributes in ran.spans
        if attributes.get(EXECUTES) == "execute_tool"
    )
    if dict(claimed) != {"get_order": 1, "refund": 1}:
        yield f"spans that execute a tool: {dict(claimed)}"


def conforms(driver: Driver) -> type:
    """Return the test class of one adapter."""
    possible = [name for name in SCENES if name not in driver.impossible]

    class TestConformance:
        """Every scene, strict and audit."""

        @pytest.mark.parametrize("scene", possible)
        def test_strict(self, scene: str) -> None:
            """A bad call does not run, the model receives feedback, and the run continues."""
            assert [] == [*strict(driver, scene)]

        @pytest.mark.parametrize("scene", possible)
        def test_audit(self, scene: str) -> None:
            """A run in audit mode equals the framework's own run, byte for byte."""
            assert [] == [*audit(driver, scene)]

        def test_results_are_recorded(self) -> None:
            """The session records all results, and no execution has two spans."""
            assert [] == [*seen(driver)]

        def test_impossible_scenes_have_a_reason(self) -> None:
            """Each scene that a driver does not play exists and has a reason."""
            assert driver.impossible.keys() <= SCENES.keys()
            assert all(driver.impossible.values())

    return TestConformance


def cells(driver: Driver) -> Iterator[tuple[str, str]]:
    """Yield what the matrix says of each scene: strict and audit, or why it is impossible."""
    for name in SCENES:
        if name in driver.impossible:
            yield name, f"no: {driver.impossible[name]}"
            continue
        checks: dict[str, Callable[[Driver, str], Iterator[str]]] = {
            "strict": strict,
            "audit": audit,
        }
        held = [mode for mode, check in checks.items() if not [*check(driver, name)]]
        yield name, " + ".join(held) or "fails"
