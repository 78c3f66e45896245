"""The old place of `abs_shield.mining`."""

from abs_shield.core.module_names import old_module

__getattr__ = old_module(__name__, "abs_shield.mining")
