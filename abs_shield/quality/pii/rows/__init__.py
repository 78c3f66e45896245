"""The table of recognisers, one file per group."""
