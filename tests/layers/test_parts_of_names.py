"""A mention of a longer name or path does not mention its parts for tools that write."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield import Shield, Target, Tool, ToolCall, shield


def finding_codes(
    prompt: str, value: Any, *, name: str = "path", tool: str = "delete_dir", **declared: Any
) -> list[str]:
    """Return the codes of the findings on one call with *value*."""
    policy = shield.configure(
        tools=[Tool(name=tool, parameters={"properties": {name: {}}}, **declared)]
    )
    firewall = Shield(policy, hooks=None)
    with firewall.session() as session:
        session.user(prompt)
        decision = firewall.check_call(ToolCall(tool, {name: value}))
    return [finding.code for finding in decision.findings]


TAILS = [
    ("Delete /home/ann/etc", "/etc"),
    ("Delete /home/ann/tmp", "/tmp"),
    ("Delete /mnt/old/home", "/home"),
    ("Clean /srv/backup/var/lib", "/var/lib"),
    (r"Delete C:\Users\ann\Windows", r"C:\Windows"),
    ("Delete /home/ann/tmp", "../tmp"),
    ("Delete /home/ann/tmp", "~/tmp"),
    ("Delete ./build/out", "/out"),
    ("Delete ~/tmp", "/tmp"),
    ("Delete (C:/Windows)", "/Windows"),
    ("Delete file:///c:/windows", "/windows"),
    ("Delete https://x.org:8080/srv/db", "/srv/db"),
]


@pytest.mark.parametrize(("prompt", "path"), TAILS)
def test_tail_of_a_path_is_unseen(prompt, path):
    """The tail of a mentioned path, taken as an absolute path, is unseen."""
    assert ["unseen"] == finding_codes(prompt, path, targets={"path": Target()}, destructive=True)
    assert ["unseen"] == finding_codes(prompt, path, destructive=True)
    assert ["unseen"] == finding_codes(prompt.replace("Delete", "Update"), path, tool="update_file")


@pytest.mark.parametrize(
    ("prompt", "value"),
    [
        ("Stop host db1.prod.internal", "prod"),
        ("Drop staging.prod.users", "prod.users"),
        ("Drop staging.prod.users", "users"),
        ("Delete branch feature/main", "main"),
        ("Delete acme/widgets", "acme-widgets"),
        ("Stop container web/api-7", "api-7"),
        ("Delete card 4111 1111 1111 1234", "1234"),
    ],
)
def test_part_of_a_name_is_unseen(prompt, value):
    """A part of a mentioned name is unseen as the declared target of a destructive tool."""
    declared = {"targets": {"target": Target()}, "destructive": True}

    assert ["unseen"] == finding_codes(prompt, value, name="target", **declared)
    assert [] == finding_codes(f"{prompt}, then {value}.", value, name="target", **declared)


@pytest.mark.parametrize(
    ("prompt", "value"),
    [
        ("Delete /etc, please.", "/etc"),
        ("Delete `/tmp/a b.txt`", "/tmp/a b.txt"),
        ("Delete file:///home/ann/etc", "/home/ann/etc"),
        ("Delete home/ann/etc", "/home/ann/etc"),
        ("Delete /home/ann/etc/", "/home/ann/etc"),
        ("Delete C:/Users/ann", r"C:\Users\ann"),
        ("Delete ./build/out", "build/out"),
        ("Delete build/out", "./build/out"),
        ("Delete tmp", "/tmp"),
        ("\u5220\u9664/srv/mia/report_7.pdf\u3002", "/srv/mia/report_7.pdf"),
        ("Delete https://shop.org/orders/w_9", "w_9"),
        ("Delete octo/hello#17", "17"),
        ("Delete TX-12345", "tx12345"),
        ("Delete 4111 1111 1111 1111", "4111111111111111"),
        ("Delete db.prod. Now.", "db.prod"),
    ],
)
def test_a_whole_name_in_another_spelling_is_mentioned(prompt, value):
    """A mentioned name passes beside punctuation, and a path in another spelling."""
    assert [] == finding_codes(prompt, value, targets={"path": Target()}, destructive=True)


AFTER_A_COLON = [
    ("Transfer it to `backup-server.company.com:/tmp/archives`", "/tmp/archives"),
    ("Sync ann@web-1:/var/www with the bucket", "/var/www"),
    ("Start it with -v /srv/db:/var/lib/db", "/var/lib/db"),
    ("Start it with -v /srv/db:/var/lib/db:ro", "/srv/db"),
    ("Start it with -v data:/var/lib/db", "/var/lib/db"),
    ("The volume maps /a:/b", "/b"),
    ("Copy nas:~/photos to the disk", "~/photos"),
    ("Put these on the path: /opt/go/bin:/opt/rust/bin", "/opt/rust/bin"),
    ("Folder:/srv/in", "/srv/in"),
]


@pytest.mark.parametrize(("prompt", "path"), AFTER_A_COLON)
def test_a_path_after_a_colon_is_a_whole_path(prompt, path):
    """A path behind a host, a container or a search path entry with a colon passes."""
    assert [] == finding_codes(prompt, path, tool="create_archive")
    assert [] == finding_codes(prompt, path, targets={"path": Target()}, destructive=True)


def test_a_relative_tail_is_accepted_if_nothing_is_destroyed():
    """A relative tail of a mentioned path passes for tools that destroy nothing."""
    assert [] == finding_codes("Update /home/ann/etc/a.cfg", "etc/a.cfg", tool="update_file")
    assert [] == finding_codes("Show /home/ann/etc", "etc", tool="read_file")


def test_a_folder_name_of_separate_words_is_unseen():
    """A folder name is unseen if its words are mentioned only separately."""
    user_text = "I have books and orders: open INV88123."

    assert ["unseen"] == finding_codes(user_text, "books-orders/INV88123", tool="read_file")
    assert [] == finding_codes(
        "Open INV88123 in books-orders.", "books-orders/INV88123", tool="read_file"
    )


DECLARED: dict[str, Any] = {"targets": {"target": Target()}, "destructive": True}
LINKS = [
    ("https://github.com/octo/hello", "octo/hello", "octo", "hello"),
    ("https://github.com/octo/hello.git", "octo/hello", "hello"),
    ("git@github.com:octo/hello.git", "octo/hello", "octo"),
    ("https://git.halden.example/octo/hello/issues/412", "octo/hello", "octo", "hello"),
    ("<https://gitlab.com/octo/hello/-/merge_requests/3>.", "octo/hello", "hello"),
    ("https://github.com/octo/hello/blob/main/src/a.py", "src/a.py", "main", "octo/hello"),
    ("https://github.com/octo/hello/tree/fix/one", "fix/one", "octo/hello"),
    ("(https://files.example/reports/final.pdf)", "reports/final.pdf"),
]


@pytest.mark.parametrize(
    ("link", "value"), [(link, value) for link, *values in LINKS for value in values]
)
def test_the_path_and_the_names_of_a_link_are_whole(link, value):
    """The path of a link is whole, and so are the names in a link into a repository."""
    assert [] == finding_codes(f"Please delete {link}", value, name="target", **DECLARED)


@pytest.mark.parametrize(
    ("link", "value"),
    [
        ("https://github.com/octo/hello/tree/fix/one", "one"),
        ("https://github.com/octo/hello/blob/main/src/a.py", "a.py"),
        ("https://github.com/octo/hello/blob/main/src/a.py", "main/src"),
        ("https://files.example/reports/final", "final"),
        ("https://files.example/reports/final", "reports"),
        ("https://files.example/reports/final.pdf", "final.pdf"),
    ],
)
def test_another_part_of_a_link_is_unseen(link, value):
    """A part of a branch, a folder or a link that leads to no repository is unseen."""
    assert ["unseen"] == finding_codes(f"Please delete {link}", value, name="target", **DECLARED)
