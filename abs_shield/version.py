"""The version: to ask the installed metadata takes longer than importing all of this."""

__version__ = "0.2.0"
