"""Every FastMCP server is made with the middleware, first of all."""

from __future__ import annotations

import functools
from typing import Any

from fastmcp import FastMCP
from suite_shield import firewall

from abs_shield.adapters.fastmcp import ShieldMiddleware

_server = FastMCP.__init__


@functools.wraps(_server)
def server(self: FastMCP, *args: Any, middleware: Any = None, **options: Any) -> None:
    """Stand before the host's own middleware."""
    _server(self, *args, middleware=[ShieldMiddleware(firewall()), *(middleware or ())], **options)


FastMCP.__init__ = server
