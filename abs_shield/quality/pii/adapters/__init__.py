"""Adapters of other libraries' detectors, one file each, imported lazily."""
