"""Schema migrations of the decision log, one list of steps per database."""
