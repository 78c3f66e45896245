"""Consistency probes: critical claims, asked again."""
