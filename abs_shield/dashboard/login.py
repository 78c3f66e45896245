"""Login and logout."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from abs_shield.dashboard.access import SignIn, is_own_form, local_path, read_form
from abs_shield.dashboard.rendering import Renderer


@dataclass(frozen=True, kw_only=True)
class Login:
    """
    Endpoints of login and logout.

    Attributes:
        renderer: Renders the pages.
        access: Verifies the token.
    """

    renderer: Renderer
    access: SignIn

    async def login(self, request: Request) -> Response:
        """Return the login form; a right token starts a session."""
        root = request.scope.get("root_path", "")
        target = local_path(request.query_params.get("next", ""), root=root)
        if not self.access.token:
            return RedirectResponse(root + "/", status_code=303)
        wrong = False
        if request.method == "POST":
            form = await read_form(request)
            if self.access.begin(request, form.get("token", "")):
                return RedirectResponse(target, status_code=303)
            wrong = True
        return self.renderer.render(
            request, "login.html", status=403 if wrong else 200, wrong=wrong, target=target
        )

    async def logout(self, request: Request) -> Response:
        """End the session."""
        form = await read_form(request)
        # another site must not be able to end a session
        if is_own_form(request, form.get("key", "")):
            request.session.clear()
        return RedirectResponse(request.scope.get("root_path", "") + "/login", status_code=303)
