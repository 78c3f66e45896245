"""Verifiers: models trained to tell whether a premise supports a claim, from local folders."""
