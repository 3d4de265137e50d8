"""The report on stored results: one HTML page."""
