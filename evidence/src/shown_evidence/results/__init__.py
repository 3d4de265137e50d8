"""Results: checked rows in one SQLite file, and the executors that run trials into it."""
