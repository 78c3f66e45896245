"""What machines call over a wire: the MCP proxy."""
