"""The conformance suite of all adapters: `conforms(DRIVER)` returns a test class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from abs_shield import Decision, Verdict
from abs_shield.core import Subject
from tests.adapters.scenes import MADE_UP, SCENES, Call, Driver, Ran, Scene, Shop, firewall

EXECUTES = "gen_ai.operation.name"


def play_scene(driver: Driver, scene: Scene, mode: str | None) -> Ran:
    """Play one scene with a Shield in this mode, or without a Shield."""
    guard = None if mode is None else firewall(mode)
    with Shop.decorated(guard if scene.decorated else None):
        if scene.delegates:
            return driver.delegate(scene.turns, firewall=guard)
        return driver.run(scene.turns, firewall=guard, stream=scene.streams)


def call_ids(scene: Scene) -> list[str]:
    """Return the ids of all calls of a scene."""
    return [call.id for call in calls_of(scene)]


def calls_of(scene: Scene) -> list[Call]:
    """Return all calls of a scene."""
    return [call for turn in scene.turns if not isinstance(turn, str) for call in turn]


def is_own_error(driver: Driver, scene: Scene, error: BaseException) -> bool:
    """Return whether the framework raises the same error without a Shield."""
    bare = play_scene(driver, scene, None).error
    return type(bare) is type(error) and str(bare) == str(error)


def strict_faults(driver: Driver, name: str) -> Iterator[str]:
    """Yield the faults of a scene in strict mode."""
    scene = SCENES[name]
    ran = play_scene(driver, scene, "strict")
    if ran.error is not None and not (scene.bad is None and is_own_error(driver, scene, ran.error)):
        yield f"the run raised {ran.error!r}"
    if sorted(scene.runs) != sorted(tool for tool, _ in ran.ran):
        yield f"{[tool for tool, _ in ran.ran]} ran, not {list(scene.runs)}"
    calls = call_decisions(ran)
    by_id = {decision.call_id: decision for decision in calls}
    once = Counter(decision.call_id for decision in calls)
    if once != Counter(call_ids(scene)):
        yield f"decisions a call: {dict(once)}"
    yield from result_faults(ran, scene)
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
    yield from feedback_faults(ran, scene.bad, "blocked")


def call_decisions(ran: Ran) -> list[Decision]:
    """Return the decisions about the model's calls; a call of a decorated tool inside has no id."""
    return [d for d in ran.decisions if d.subject is Subject.CALL and d.call_id is not None]


def result_faults(ran: Ran, scene: Scene) -> Iterator[str]:
    """Yield the faults in the results of a scene."""
    judged = Counter(d.call_id for d in ran.decisions if d.subject is Subject.RESULT)
    if any(times > 1 for times in judged.values()):
        yield f"decisions a result: {dict(judged)}"
    withheld = {d.call_id for d in ran.decisions if d.subject is Subject.RESULT and d.blocked}
    if withheld != {scene.withheld} - {None}:
        yield f"the results of {withheld} were withheld"
    if scene.withheld is not None:
        yield from feedback_faults(ran, scene.withheld, "withheld")


def feedback_faults(ran: Ran, call_id: str, status: str) -> Iterator[str]:
    reply = ran.replies.get(call_id, "").replace(
        "\\", ""
    )  # a framework may quote it in its own JSON
    if '"status"' not in reply or f'"{status}"' not in reply:
        yield f"the model received {reply!r}, not the feedback"


def audit_faults(driver: Driver, name: str) -> Iterator[str]:
    """Yield the differences between audit mode and the framework without a Shield."""
    scene = SCENES[name]
    bare, ran = play_scene(driver, scene, None), play_scene(driver, scene, "audit")
    if bare.requests != ran.requests:
        yield f"the model was sent\n{ran.requests}\nnot\n{bare.requests}"
    if _unordered(bare.ran) != _unordered(ran.ran) or bare.answer != ran.answer:
        yield f"{ran.ran} ran, {ran.answer!r} was answered; not {bare.ran}, {bare.answer!r}"
    if type(bare.error) is not type(ran.error) or str(bare.error) != str(ran.error):
        yield f"the run raised {ran.error!r}, not {bare.error!r}"
    calls = call_decisions(ran)
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
    """Return what ran, sorted, because calls of one turn may run concurrently."""
    return sorted(map(repr, ran))


def recording_faults(driver: Driver) -> Iterator[str]:
    """Yield what the session did not record, and executions that have several spans."""
    ran = play_scene(driver, SCENES["parallel calls"], "strict")
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
            assert [] == [*strict_faults(driver, scene)]

        @pytest.mark.parametrize("scene", possible)
        def test_audit(self, scene: str) -> None:
            """A run in audit mode equals the framework's own run, byte for byte."""
            assert [] == [*audit_faults(driver, scene)]

        def test_results_are_recorded(self) -> None:
            """The session records all results, and no execution has two spans."""
            assert [] == [*recording_faults(driver)]

        def test_impossible_scenes_have_a_reason(self) -> None:
            """Each scene that a driver does not play exists and has a reason."""
            assert driver.impossible.keys() <= SCENES.keys()
            assert all(driver.impossible.values())

    return TestConformance


def cells(driver: Driver) -> Iterator[tuple[str, str]]:
    """Yield the scenes with their cell in the matrix: the results, or why it is impossible."""
    for name in SCENES:
        if name in driver.impossible:
            yield name, f"no: {driver.impossible[name]}"
            continue
        checks: dict[str, Callable[[Driver, str], Iterator[str]]] = {
            "strict": strict_faults,
            "audit": audit_faults,
        }
        held = [mode for mode, check in checks.items() if not [*check(driver, name)]]
        yield name, " + ".join(held) or "fails"
