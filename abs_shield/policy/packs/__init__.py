"""Ready-made rules for your own tools and parameters."""
