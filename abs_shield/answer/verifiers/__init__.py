"""Verifiers: models from local folders that check whether a premise supports a claim."""
