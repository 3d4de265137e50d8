"""The language of programs: terms, primitives, the grammar, and the interpreter that defines the meaning."""
