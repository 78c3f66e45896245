"""Services for other programs: the MCP proxy."""
