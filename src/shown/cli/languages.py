"""`shown languages`: the vocabularies, and the primitives of one."""

from __future__ import annotations

import argparse
from typing import Any

from shown.cli import options
from shown.cli.inputs import find_language
from shown.cli.output import print_json, say
from shown.language import phrases
from shown.language.examples import example
from shown.language.languages import all_languages, installed
from shown.language.primitives import Language, Primitive
from shown.language.terms import Kind


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "language", nargs="?", metavar="VOCABULARY", help="name or module:OBJECT of a vocabulary to describe"
    )
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    languages, broken = ([find_language(args.language)], []) if args.language is not None else installed()
    for reason in broken:
        say(f"shown: {reason}")
    if args.json:
        print_json([_describe(language) for language in languages])
    elif args.language is not None:
        for word in _describe(languages[0])["words"]:
            print(f"  {word['word']}({', '.join(word['takes'])}): {word['gives']}")
            print(f"      {word['says']}")
            print(f"      {word['opposite']}")
    else:
        width = max(len(str(language.name)) for language in languages)
        for language in languages:
            print(f"  {language.name:{width}}  {len(language):3} primitives  {_place(language)}")
    return 0


def _describe(language: Language) -> dict[str, Any]:
    return {
        "language": language.name,
        "place": _place(language),
        "words": [_describe_primitive(primitive, language) for primitive in language.values()],
    }


def _place(language: Language) -> str:
    return all_languages().get(str(language.name), str(language.name))


def _describe_primitive(primitive: Primitive, language: Language) -> dict[str, Any]:
    """Describe a primitive, with an example and its negation in English."""
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
