"""The quality cascade: five stages over an output, before anybody receives it."""
