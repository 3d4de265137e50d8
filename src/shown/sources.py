"""Source of functions of this package as standalone text that Python 3.6 and later can run.

It includes what the functions use of their modules: other functions, constants, imports of the standard library.
"""

from __future__ import annotations

import ast
import inspect
import symtable
import sys
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

PACKAGE = "shown"


def sources(functions: Iterable[Callable[..., Any]]) -> str:
    """Return the text that defines these functions and all they use: imports, constants, functions.

    >>> print(sources([is_plain]))
    def is_plain(value):
        \"""Return whether a value is data that can be written as a literal.\"""
        if isinstance(value, (tuple, list, set, frozenset)):
            return all(map(is_plain, value))
        if isinstance(value, dict):
            return all(map(is_plain, value)) and all(map(is_plain, value.values()))
        return value is None or isinstance(value, (bool, int, str))
    """
    imports: dict[str, str] = {}
    constants: dict[str, str] = {}
    texts: dict[str, str] = {}
    owners: dict[str, Any] = {}
    todo = list(functions)[::-1]
    while todo:
        function = todo.pop()
        if owners.setdefault(function.__name__, function) is not function:
            raise ValueError(f"two functions are called {function.__name__}. Rename one of them.")
        if function.__name__ in texts:
            continue
        texts[function.__name__] = text = plain(inspect.getsource(function))
        for name, value in _used(text, function):
            if inspect.isfunction(value) and value.__module__.split(".")[0] == PACKAGE:
                todo.append(value)
            elif isinstance(value, ModuleType) and value.__name__ in sys.stdlib_module_names:
                imports[name] = f"import {value.__name__}" + (f" as {name}" if name != value.__name__ else "")
            elif getattr(value, "__module__", None) in sys.stdlib_module_names:
                imports[name] = f"from {value.__module__} import {name}"
            elif is_plain(value):
                constants[name] = f"{name} = {value!r}"
            else:
                raise ValueError(f"{function.__name__} uses {name}, which cannot be written into a file.")
    top = "\n".join([*sorted(imports.values()), *sorted(constants.values())])
    return "\n\n\n".join(filter(None, [top, *(text.rstrip() for text in texts.values())]))


def plain(source: str) -> str:
    """Return the source of a function without its annotations and the examples in its docstring.

    >>> plain("def f(a: int, *rest: str, b: float = 1.0) -> dict[str, int] | None: ...")
    'def f(a, *rest, b = 1.0): ...'
    """
    data = source.encode()
    starts = [0, *(i + 1 for i, byte in enumerate(data) if byte == ord("\n"))]
    cuts = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.arg) and node.annotation is not None:
            begin = starts[node.lineno - 1] + node.col_offset + len(node.arg.encode())
            cuts.append((begin, _end(node.annotation, starts)))
        elif isinstance(node, ast.FunctionDef) and node.returns is not None:
            end = _end(node.returns, starts)
            cuts.append((data.rindex(b")", 0, data.rindex(b"->", 0, end)) + 1, end))
        if isinstance(node, ast.FunctionDef) and ">>>" in (ast.get_docstring(node) or ""):
            end = _end(node.body[0], starts) - len(b'"""')
            cuts.append((len(data[: data.index(b">>>")].rstrip()), end))
    for begin, end in sorted(cuts, reverse=True):
        data = data[:begin] + data[end:]
    return data.decode()


def _end(node: ast.expr | ast.stmt, starts: list[int]) -> int:
    """Return the end of a node in bytes, given the starts of the lines."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return starts[node.end_lineno - 1] + node.end_col_offset


def _used(text: str, function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """Yield the names that a function uses of its module, in order, with their values; no builtins."""
    tables = [symtable.symtable(text, function.__name__, "exec")]
    names = set()
    for table in tables:
        tables += table.get_children()
        names |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() and symbol.is_referenced()}
    for name in sorted(names & set(function.__globals__)):
        yield name, function.__globals__[name]


def is_plain(value: Any) -> bool:
    """Return whether a value is data that can be written as a literal."""
    if isinstance(value, (tuple, list, set, frozenset)):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(map(is_plain, value)) and all(map(is_plain, value.values()))
    return value is None or isinstance(value, (bool, int, str))
