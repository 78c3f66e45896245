"""Complete policies, to copy and change."""
