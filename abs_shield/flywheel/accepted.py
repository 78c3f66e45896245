"""The old place of names of `abs_shield.flywheel.gap`."""

from abs_shield.core.module_names import old_module

__getattr__ = old_module(__name__, "abs_shield.flywheel.gap")
