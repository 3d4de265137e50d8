"""The report on a results store: one HTML page."""
