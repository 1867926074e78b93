"""The command line's work: `run`, `demo`, `calibrate`. Prints; never opens the database."""
