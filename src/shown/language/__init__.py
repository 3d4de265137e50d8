"""The language programs are written in: terms, primitives, the grammar, and the interpreter that defines the meaning."""
