"""`shown languages`: what programs can be written in, and what the words of a language say."""

from __future__ import annotations

import argparse
from typing import Any

from shown.cli.common import add_json, find_language, print_json, say
from shown.language import phrases
from shown.language.examples import example
from shown.language.languages import all_languages, installed
from shown.language.primitives import Language, Primitive
from shown.language.terms import Kind


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("language", nargs="?", metavar="NAME", help="tell all words of this one, or of module:OBJECT")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    one = args.language is not None
    languages, broken = ([find_language(args.language)], []) if one else installed()
    for reason in broken:
        say(f"shown: {reason}")
    if args.json:
        print_json([_described(language) for language in languages])
    elif one:
        _tell_words(languages[0])
    else:
        width = max(len(str(language.name)) for language in languages)
        for language in languages:
            count = f"{len(language)} word{'' if len(language) == 1 else 's'}"
            print(f"  {language.name:{width}}  {count:>9}  {_place(language)}")
    return 0


def _tell_words(language: Language) -> None:
    for word in _described(language)["words"]:
        print(f"  {word['word']}({', '.join(word['takes'])}): {word['gives']}")
        print(f"      {word['says']}")
        print(f"      {word['opposite']}")


def _described(language: Language) -> dict[str, Any]:
    return {
        "language": language.name,
        "place": _place(language),
        "words": [_word(primitive, language) for primitive in language.values()],
    }


def _place(language: Language) -> str:
    return all_languages().get(str(language.name), str(language.name))


def _word(primitive: Primitive, language: Language) -> dict[str, Any]:
    """A word with an example of it, in English: what it says, and what its opposite says."""
    term = example(primitive.name, language)
    cell = "the cell" if primitive.gives is Kind.CONDITION else "it"
    return {
        "word": primitive.name,
        "takes": [str(kind) for kind in primitive.takes],
        "gives": str(primitive.gives),
        "needs": primitive.needs,
        "example": None if term is None else str(term),
        "says": primitive.phrase if term is None else phrases.say(term, language, cell=cell),
        "opposite": primitive.negation if term is None else phrases.say(term, language, False, cell),
    }
