"""Consistency probes: a model is asked about the critical claims again."""
