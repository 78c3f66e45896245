"""Training examples for an accepted gap: mutation, leakage check and export."""

from abs_shield.flywheel.mutate.leakage import Leak, LeakageReport, find_leaks
from abs_shield.flywheel.mutate.mutation import MutationSources, mutate
from abs_shield.flywheel.mutate.training_example import Mutation, TrainingExample
from abs_shield.flywheel.mutate.training_export import (
    FORMS,
    read_examples,
    render_export,
    training_texts,
)

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
