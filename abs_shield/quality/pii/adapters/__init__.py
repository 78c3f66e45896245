"""Detectors of other libraries, one file each, imported when they are made."""
