"""Visitors of the dashboard: a client without a browser, and tabs of a real one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

with warnings.catch_warnings():  # newer versions of starlette prefer a fork of httpx
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient as Client

Visit = Callable[..., Client]
"""Opens the dashboard of a log with options."""


class Tabs:
    """Tabs of one visitor, and everything that the browser complained about."""

    def __init__(self, browser: Any, **options: Any) -> None:
        self.context = browser.new_context(
            **({"viewport": {"width": 1440, "height": 900}} | options)
        )
        self.complaints: list[str] = []

    def open(self, address: str) -> Any:
        """Open a page in a new tab."""
        page = self.context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("pageerror", lambda error: self._note("error", str(error)))
        page.on("dialog", lambda dialog: (self._note("error", dialog.message), dialog.dismiss()))
        page.goto(address)
        return page

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(text)
