"""An OTLP receiver in a process of its own, and what arrived there."""
