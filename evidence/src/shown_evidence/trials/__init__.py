"""Trials: methods, demonstrators, scoring, fingerprints of the code, and executors."""
