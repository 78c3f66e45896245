"""A fixed, small number of sample values that fit a schema, boundaries first."""

from abs_shield.schema.samples.argument_samples import Samples
from abs_shield.schema.samples.sample_pool import Pool

__all__ = ["Pool", "Samples"]
