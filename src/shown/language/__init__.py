"""The language of programs: terms, primitives, grammars, enumeration and the reference interpreter."""
