"""The package's version: asking the installed metadata takes longer than all of our import."""

VERSION = "0.1.0"
