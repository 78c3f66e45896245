"""What turns an older decision log into one of today: one list of steps for each database."""
