"""Every FastMCP server is created with the middleware as its first one."""

from __future__ import annotations

import functools
from typing import Any

from fastmcp import FastMCP
from suite_shield import firewall

from abs_shield.adapters.fastmcp import ShieldMiddleware

_server = FastMCP.__init__


@functools.wraps(_server)
def server(self: FastMCP, *args: Any, middleware: Any = None, **options: Any) -> None:
    """Add the middleware before the host's own."""
    _server(self, *args, middleware=[ShieldMiddleware(firewall()), *(middleware or ())], **options)


FastMCP.__init__ = server
