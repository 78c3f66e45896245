"""Training examples from an accepted gap: mutated, without leaks, exported."""
