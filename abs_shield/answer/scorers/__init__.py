"""Scorers: how far each claim is grounded in the evidence, one file each."""
