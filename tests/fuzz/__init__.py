"""Fuzzing: seeded, structure-aware, bounded.

An area (`files`, `commands`, `requests`, `wire`, `store`, `export`, `programs`) is a module with two functions:

    make(rng) -> data          a case as plain JSON data, drawn from a seeded `random.Random`
    run(data, folder) -> None  tries it in an empty folder; whatever it raises is a fault that was found

Wrong input must end in our own errors and nothing else, within limits of time and memory (`limits.py`). A case that
fails is saved as a file, which holds all that is needed to try it again:

    python -m fuzz.replay build/fuzz/files-7-123.json

`make test` tries a few cases of each area, always the same. `make fuzz SECONDS=600 SEED=7` tries others, for longer.
"""
