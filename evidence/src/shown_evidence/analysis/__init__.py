"""Statistics, figures, tables and verdicts on the statements of the paper."""
