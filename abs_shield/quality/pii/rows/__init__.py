"""The rows of the table of recognisers, one file a group."""
