"""The flywheel: catches of the decision log become training data, and better versions."""
