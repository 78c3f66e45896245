"""Verifiers: models that were trained to say whether a premise supports a claim."""
