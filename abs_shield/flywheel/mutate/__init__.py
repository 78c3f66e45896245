"""Training examples from an accepted gap: mutated, without leaks, exported."""

from abs_shield.flywheel.mutate.example import Mutation, TrainingExample
from abs_shield.flywheel.mutate.export import FORMS, read_examples, render_export, training_texts
from abs_shield.flywheel.mutate.leakage import Leak, LeakageReport, find_leaks
from abs_shield.flywheel.mutate.mutate import MutationSources, mutate

__all__ = [
    "FORMS",
    "Leak",
    "LeakageReport",
    "Mutation",
    "MutationSources",
    "TrainingExample",
    "find_leaks",
    "mutate",
    "read_examples",
    "render_export",
    "training_texts",
]
