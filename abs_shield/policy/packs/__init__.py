"""Ready-made rules, to import and to apply to your own tools and parameters."""
