"""Dry runs change nothing: they contradict no call, and remove nothing."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield import Shield, Tool, ToolCall, shield

FLAG = {"type": "boolean"}


def finding_codes(*calls: dict[str, Any], **properties: Any) -> list[str]:
    """Return the codes of the findings on calls of `purge_files`, which all run."""
    schema = {"properties": {"paths": {}, **properties}}
    policy = shield.configure(tools=[Tool(name="purge_files", parameters=schema)])
    firewall = Shield(policy, hooks=None)
    with firewall.session() as session:
        session.user("Delete /srv/a.bam and /srv/b.bam.")
        for arguments in calls:
            paths = {"paths": ["/srv/a.bam", "/srv/b.bam"]}
            with firewall.guard(ToolCall("purge_files", {**paths, **arguments})) as guard:
                guard.value = {"files": 2}
        return [finding.code for one in session.decisions for finding in one.findings]


@pytest.mark.parametrize(
    ("dry", "real", "properties"),
    [
        ({"dry_run": True}, {"dry_run": False}, {"dry_run": FLAG}),
        ({"dryRun": True}, {}, {"dryRun": FLAG}),
        ({}, {"dry_run": False}, {"dry_run": {**FLAG, "default": True}}),
        ({"confirm": False}, {"confirm": True}, {"confirm": FLAG}),
        ({}, {"confirm": True}, {"confirm": {**FLAG, "default": False}}),
    ],
)
def test_the_real_call_may_follow_its_dry_run(dry, real, properties):
    """A removal may follow its dry run, and be tried again in one."""
    assert [] == finding_codes(dry, dry, real, **properties)
    assert [] == finding_codes(real, dry, **properties)


@pytest.mark.parametrize("properties", [{}, {"dry_run": {**FLAG, "default": False}}])
def test_a_repeated_removal_is_reported(properties):
    """A second real removal is one of files that no longer exist."""
    assert ["removed"] == finding_codes({}, {}, **properties)
    assert ["removed"] == finding_codes({}, {"dry_run": False}, dry_run=FLAG)


def test_an_undeclared_argument_makes_no_dry_run():
    """A tool ignores an argument that it does not declare, so both removals were real."""
    schema = {"properties": {"path": {}}, "additionalProperties": True}
    tool = Tool(name="delete_file", parameters=schema)
    firewall = Shield(shield.configure(tools=[tool]), hooks=None)
    with firewall.session() as session:
        session.user("Delete /srv/a.bam.")
        for _ in range(2):
            call = ToolCall("delete_file", {"path": "/srv/a.bam", "dry_run": True})
            with firewall.guard(call) as guard:
                guard.value = {"files": 1}
        last = session.decisions[-1]

    assert ["removed"] == [finding.code for finding in last.findings]
