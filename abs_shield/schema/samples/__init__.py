"""Which values fit a schema? A fixed, small number of them, its boundaries first."""

from abs_shield.schema.samples.arguments import Samples
from abs_shield.schema.samples.pool import Pool

__all__ = ["Pool", "Samples"]
