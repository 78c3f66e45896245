"""Access to the dashboard: tokens, sessions, host names, cross-site forms and headers."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from abs_shield.core.label import Truth
from abs_shield.dashboard import dashboard
from abs_shield.dashboard.access_control import LoginAttempts, local_path
from abs_shield.errors import ShieldError
from abs_shield.stores.sqlite_store import SqliteStore
from tests.dashboard.decision_samples import decision, finding
from tests.dashboard.visiting import Client, Visit

TOKEN = "open-sesame-42"
PATHS = ["/", "/cell", "/rollout", "/trends", "/trends.json", "/events", "/decisions/d-1"]


def key_of(client: Client, path: str = "/decisions/d-1") -> str:
    """The key that a page's form has."""
    return re.findall(r'name="key" value="([^"]+)"', client.get(path).text)[0]


# Headers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/nothing", "/login", "/static/dashboard.js", "/?range=x"])
def test_each_response_has_the_headers(path: str, visit: Visit) -> None:
    """Inline code, framing and content sniffing are disabled."""
    headers = visit().get(path).headers

    assert "default-src 'none'; script-src 'self'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert ("nosniff", "DENY") == (headers["x-content-type-options"], headers["x-frame-options"])
    assert "no-store" == headers["cache-control"]


def test_no_page_has_anything_inline(visit: Visit, keep: Callable[..., None]) -> None:
    """A page has no inline script, style or handler."""
    keep(decision(finding(), id="d-1"), decision())
    client = visit()
    for path in (
        "/",
        "/cell?row=refund&check=phantom_target",
        "/rollout",
        "/trends",
        "/decisions/d-1",
    ):
        text = client.get(path).text

        assert [] == re.findall(r"<style|<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=", text), path


# Host names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8321", "localhost:1", "[::1]:8321", "LOCALHOST"]
)
def test_the_loopback_needs_no_token(host: str, visit: Visit) -> None:
    """Requests to a loopback name with any port are answered."""

    assert 200 == visit().get("/", headers={"host": host}).status_code


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "[::1].evil", "", "::1"]
)
@pytest.mark.parametrize("path", ["/", "/events", "/static/dashboard.js", "/login"])
def test_another_host_name_is_refused_without_a_token(host: str, path: str, visit: Visit) -> None:
    """A site whose name points to this machine reads nothing (DNS rebinding)."""
    answer = visit().get(path, headers={"host": host})

    assert (400, True) == (answer.status_code, "host name is not allowed" in answer.text)


def test_other_names_can_be_allowed(visit: Visit) -> None:
    """An application that guards the pages itself lists its names."""
    client = visit(allowed_hosts=["Ops.Example"])
    names = ("ops.example:443", "evil.example", "localhost")

    assert [200, 400, 200] == [client.get("/", headers={"host": n}).status_code for n in names]
    assert 200 == visit(allowed_hosts=["*"]).get("/", headers={"host": "x"}).status_code


def test_a_text_of_host_names_is_refused(store: SqliteStore) -> None:
    """The error says to pass one name as a list."""
    with pytest.raises(ShieldError, match=r"use \['ops.example'\]"):
        dashboard(store, allowed_hosts="ops.example")


def test_with_a_token_any_host_name_is_answered(visit: Visit) -> None:
    """A session is bound to the name, so that another name has none."""

    assert 200 == visit(token=TOKEN).get("/login", headers={"host": "x.example"}).status_code


# Tokens ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS)
def test_without_a_session_no_view_is_shown(path: str, visit: Visit) -> None:
    """A browser is sent to the form, a script gets 401."""
    client = visit(token=TOKEN)
    shown = client.get(path)
    script = client.get(path, headers={"sec-fetch-mode": "cors"})

    assert (303, True) == (shown.status_code, shown.headers["location"].startswith("/login?next="))
    assert (401, "") == (script.status_code, script.text)


def test_a_label_needs_a_session(
    visit: Visit, keep: Callable[..., None], store: SqliteStore
) -> None:
    """Without one it is not recorded."""
    keep(decision(id="d-1"))
    answer = visit(token=TOKEN).post("/decisions/d-1/label", data={"truth": "ok"})

    assert (303, {}) == (answer.status_code, store.labels())


@pytest.mark.parametrize(
    "token", ["", "wrong", TOKEN[:-1], TOKEN + "x", "\udcff".encode("utf-8", "replace").decode()]
)
def test_a_wrong_token_does_not_sign_in(token: str, visit: Visit) -> None:
    """The form shows an error, and the session is not signed in."""
    client = visit(token=TOKEN)
    answer = client.post("/login", data={"token": token})

    assert (403, True) == (answer.status_code, "This is not the token." in answer.text)
    assert 303 == client.get("/").status_code


def test_the_token_opens_the_view_that_was_asked_for(visit: Visit) -> None:
    """After the sign-in the filters are still there."""
    client = visit(token=TOKEN)
    login = client.get("/trends?agent=ops").headers["location"]
    answer = client.post(login, data={"token": TOKEN})

    assert (303, "/trends?agent=ops") == (answer.status_code, answer.headers["location"])
    assert 200 == client.get("/trends?agent=ops").status_code


@pytest.mark.parametrize(
    "target",
    ["//evil.example", "https://evil.example/", "/\\evil.example", "\\\\evil",
     "javascript:alert(1)", "/\t/evil.example", "evil", "", "http:evil.example"],
)  # fmt: skip
def test_the_sign_in_redirects_only_within_the_site(target: str, visit: Visit) -> None:
    """Only a path of the dashboard is a valid target."""
    answer = visit(token=TOKEN).post("/login", params={"next": target}, data={"token": TOKEN})

    assert "/" == answer.headers["location"]
    assert "/shield/" == local_path(target, root="/shield")


def test_a_token_is_removed_from_the_address(visit: Visit) -> None:
    """A link with a token signs in and redirects to the same address without the token."""
    client = visit(token=TOKEN)
    answer = client.get(f"/rollout?agent=ops&token={TOKEN}")

    assert (303, "/rollout?agent=ops") == (answer.status_code, answer.headers["location"])
    assert 200 == client.get("/rollout").status_code


def test_signing_out_ends_the_session(visit: Visit) -> None:
    """The form requires the key of the session."""
    client = visit(token=TOKEN)
    client.get(f"/?token={TOKEN}")
    client.post("/logout", data={"key": "wrong"})
    still = client.get("/").status_code
    client.post("/logout", data={"key": key_of(client, "/")})

    assert (200, 303) == (still, client.get("/").status_code)


def test_the_attributes_of_the_cookie(visit: Visit) -> None:
    """The cookie is HttpOnly and SameSite, and Secure with `https_only`."""
    plain = visit().get("/").headers["set-cookie"].lower()
    secure = visit(https_only=True).get("/").headers["set-cookie"].lower()

    assert ("httponly; samesite=lax" in plain, "secure" in plain) == (True, False)
    assert "httponly; samesite=lax; secure" in secure


def test_two_logs_on_one_host_have_different_cookies(store: SqliteStore, tmp_path: object) -> None:
    """Browsers send a cookie to every port of a host, so its name depends on the log."""
    other = SqliteStore(f"{tmp_path}/other.db")
    first, second = (
        Client(dashboard(log), base_url="http://127.0.0.1").get("/").cookies
        for log in (store, other)
    )
    other.close()

    assert set(first) != set(second)


@pytest.mark.parametrize("way", ["form", "link"])
def test_wrong_tokens_are_limited(way: str, visit: Visit) -> None:
    """After ten wrong tokens an address must wait, and the page says how long."""
    client = visit(token=TOKEN)
    for number in range(10):
        if way == "form":
            client.post("/login", data={"token": f"guess-{number}"})
        else:
            client.get(f"/?token=guess-{number}")
    answer = client.post("/login", data={"token": TOKEN})

    assert (429, True) == (answer.status_code, 1 <= int(answer.headers["retry-after"]) <= 60)
    assert "too many wrong tokens; try again in" in answer.text
    assert "/login" in client.get(f"/?token={TOKEN}").headers["location"]
    assert 303 == client.get("/").status_code


def test_a_wait_ends() -> None:
    """A minute after the last wrong token the address may try again; others never waited."""
    clock = [0.0]
    attempts = LoginAttempts(now=lambda: clock[0])
    for _ in range(10):
        attempts.add_wrong("10.0.0.1")
    waits = [attempts.wait_s("10.0.0.1"), attempts.wait_s("10.0.0.2")]
    clock[0] = 60.0
    waits.append(attempts.wait_s("10.0.0.1"))
    attempts.add_wrong("10.0.0.1")
    waits.append(attempts.wait_s("10.0.0.1"))

    assert [60, 0, 0, 0] == waits


def test_a_right_token_resets_the_count_of_wrong_ones(visit: Visit) -> None:
    """Wrong tokens before a successful sign-in are not counted."""
    client = visit(token=TOKEN)
    for _ in range(4):
        for _ in range(9):
            client.post("/login", data={"token": "wrong"})
        answer = client.post("/login", data={"token": TOKEN})

    assert 303 == answer.status_code


def test_a_new_token_ends_the_sessions_of_the_old_one(store: SqliteStore) -> None:
    """Though the secret that signs cookies is the same."""
    old, new = (dashboard(store, token=token, secret="s") for token in (TOKEN, TOKEN + "2"))
    client = Client(old, base_url="http://127.0.0.1", follow_redirects=False)
    client.get(f"/?token={TOKEN}")
    later = Client(new, base_url="http://127.0.0.1", follow_redirects=False, cookies=client.cookies)

    assert (200, 303) == (client.get("/").status_code, later.get("/").status_code)


@pytest.mark.parametrize("token", ["\udcff", " open", "open\n", "a\tb"])
def test_an_untypable_token_is_refused(token: str, store: SqliteStore) -> None:
    """The error is raised when the dashboard is created."""
    with pytest.raises(ShieldError, match="`token` must be printable"):
        dashboard(store, token=token)


def test_the_session_changes_at_sign_in(store: SqliteStore) -> None:
    """A planted cookie is not signed in when its victim signs in."""
    app = dashboard(store, token=TOKEN)
    planted, visitor = (
        Client(app, base_url="http://127.0.0.1", follow_redirects=False) for _ in range(2)
    )
    planted.get("/login")
    assert planted.cookies
    visitor.cookies.update(planted.cookies)
    visitor.post("/login", data={"token": TOKEN})

    assert (200, 303) == (visitor.get("/").status_code, planted.get("/").status_code)


# Forms -------------------------------------------------------------------------------------------


def test_a_label_is_recorded_and_shown(
    visit: Visit, keep: Callable[..., None], store: SqliteStore
) -> None:
    """The form's answer leads back to the decision, with its filters."""
    keep(decision(finding(), id="d-1"))
    client = visit()
    form = {"key": key_of(client), "truth": "hallucinated"}
    answer = client.post("/decisions/d-1/label?agent=billing", data=form)

    assert (303, "/decisions/d-1?agent=billing") == (answer.status_code, answer.headers["location"])
    assert Truth.HALLUCINATED is store.labels()["d-1"].truth
    assert "1 of 1 labelled are right" in client.get("/decisions/d-1").text


@pytest.mark.parametrize(
    ("form", "headers", "status"),
    [
        ({"truth": "ok"}, {}, 403),
        ({"truth": "ok", "key": ""}, {}, 403),
        ({"truth": "ok", "key": "wrong"}, {}, 403),
        ({"truth": "ok", "key": "OWN"}, {"sec-fetch-site": "cross-site"}, 403),
        ({"truth": "ok", "key": "OWN"}, {"sec-fetch-site": "same-site"}, 403),
        ({"truth": "ok", "key": "OWN"}, {"origin": "https://evil.example"}, 403),
        ({"truth": "ok", "key": "OWN"}, {"origin": "null"}, 403),
        ({"truth": "maybe", "key": "OWN"}, {}, 400),
        ({"truth": "ok" * 9_000, "key": "OWN"}, {}, 413),
        ({f"f{n}": "1" for n in range(99)}, {}, 413),
    ],
)
def test_another_form_is_refused(
    form: dict[str, str], headers: dict[str, str], status: int, visit: Visit,
    keep: Callable[..., None], store: SqliteStore,
) -> None:  # fmt: skip
    """A form of another origin, without the key, or too long records nothing."""
    keep(decision(finding(), id="d-1"))
    client = visit()
    key = key_of(client)
    data = {name: value.replace("OWN", key) for name, value in form.items()}
    answer = client.post("/decisions/d-1/label", data=data, headers=headers)

    assert (status, {}) == (answer.status_code, store.labels())


def test_the_key_of_another_session_is_refused(
    store: SqliteStore, keep: Callable[..., None]
) -> None:
    """The key of a form is valid only with its session's cookie."""
    keep(decision(id="d-1"))
    app = dashboard(store)
    one, two = (Client(app, base_url="http://127.0.0.1") for _ in range(2))
    two.get("/")
    answer = two.post("/decisions/d-1/label", data={"key": key_of(one), "truth": "ok"})

    assert (403, {}) == (answer.status_code, store.labels())


def test_a_label_of_an_unknown_decision_is_404(visit: Visit, keep: Callable[..., None]) -> None:
    """A label for a decision that the log does not contain is not stored."""
    keep(decision(id="d-1"))
    client = visit()
    form = {"key": key_of(client), "truth": "ok"}

    assert 404 == client.post("/decisions/none/label", data=form).status_code
