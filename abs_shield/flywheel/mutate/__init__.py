"""Training examples from an accepted gap: mutated, without leaks, exported."""

from abs_shield.flywheel.mutate.example import Example, Mutation
from abs_shield.flywheel.mutate.export import FORMS, exported, read_examples
from abs_shield.flywheel.mutate.leakage import Leak, LeakageReport, find_leaks
from abs_shield.flywheel.mutate.mutate import Sources, mutate

__all__ = [
    "FORMS",
    "Example",
    "Leak",
    "LeakageReport",
    "Mutation",
    "Sources",
    "exported",
    "find_leaks",
    "mutate",
    "read_examples",
]
