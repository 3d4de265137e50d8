"""Trials and their rows: learners, demonstrators, sets of levels, scoring."""
