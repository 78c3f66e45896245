"""Consistency probes: repeated questions to a model about the critical claims."""
