"""A class: its code, its pupils and its settings, in one folder.

    my-class/
      class.json      the code, the secrets, the pupils and the settings; readable by this user alone
      studio.lock     held while a studio has the folder open
      pupil-1/        the project of the first pupil, as `project.py` describes it

Everything about a class is one frozen value, saved whole before anyone hears of it. So a class survives a kill, and
its code and links stay the same after a restart.
"""

from __future__ import annotations

import hmac
import secrets
import stat
import unicodedata
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any, TypeGuard

from shown.errors import BadInput, at
from shown.files import encode_json, parse_json
from shown.studio.folder import OwnFolder
from shown.studio.project import PROJECT, Project

CLASS, SCHEMA = "class.json", "shown/class-record/1"
MAX_RECORD = 2**20  # bytes of class.json
LETTERS = "ABCDEFGHJKMNPRSTUVWXYZ"  # no I, L, O and Q, which look like others
CODE_LETTERS = 6
MAX_MEMBERS = 40
MAX_NAME = 24  # characters
MAX_LOCKED = 100  # games
NAME_PUNCTUATION = " -'.’"
GUESS_SECONDS = 60.0
MAX_GUESSES, MAX_ALL_GUESSES = 10, 300  # wrong codes in that time: from one address, and from all


class Role(Enum):
    """What the holder of a secret may do."""

    TEACHER = "teacher"  # everything that is about the class
    PUPIL = "p"  # work in one workspace
    VIEWER = "v"  # look at one workspace: the teacher
    HELPER = "h"  # work in one workspace, even if the class is paused: the teacher


@dataclass(frozen=True, slots=True)
class ClassMember:
    """A pupil, whose link has the secret."""

    id: int
    name: str
    secret: str

    @property
    def token(self) -> str:
        """What the pupil's page sends with each request."""
        return f"p{self.id}.{self.secret}"

    @property
    def folder(self) -> str:
        return f"pupil-{self.id}"


@dataclass(frozen=True, slots=True)
class ClassSettings:
    """What the teacher allows.

    Attributes:
        paused: nobody can change anything, until the teacher goes on.
        joining: new pupils may join with the code.
        hints: the buttons Hint and Expert are there.
        locked: names of games that pupils cannot open.
    """

    paused: bool = False
    joining: bool = True
    hints: bool = True
    locked: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, value: Any, where: str) -> ClassSettings:
        flags = ("paused", "joining", "hints")
        if not isinstance(value, dict) or not all(isinstance(value.get(key), bool) for key in flags):
            raise BadInput(f"{where}: {', '.join(flags)} must be true or false.")
        locked = value.get("locked")
        if not isinstance(locked, list) or len(locked) > MAX_LOCKED or not all(isinstance(x, str) for x in locked):
            raise BadInput(f'{where}: "locked" must be a list of names of games.')
        return cls(value["paused"], value["joining"], value["hints"], tuple(sorted(set(locked))))


@dataclass(frozen=True, slots=True)
class ClassRecord:
    """All that is saved of a class besides the workspaces; `next_id` is the number of the next pupil."""

    code: str
    secret: str = field(repr=False)
    pupils: tuple[ClassMember, ...] = ()
    settings: ClassSettings = ClassSettings()
    next_id: int = 1

    @classmethod
    def new(cls) -> ClassRecord:
        """Return an empty class with a new code and a new teacher's secret."""
        return cls("".join(secrets.choice(LETTERS) for _ in range(CODE_LETTERS)), secrets.token_urlsafe(24))

    def pupil(self, number: Any) -> ClassMember:
        for pupil in self.pupils:
            if pupil.id == number:
                return pupil
        raise BadInput("no such pupil.")

    def with_pupil(self, name: Any) -> ClassRecord:
        """Return the class with one more pupil, the last one; BadInput if the name is taken or the class is full."""
        name = check_name(name)
        if any(_key(pupil.name) == _key(name) for pupil in self.pupils):
            raise BadInput(f"there is a {name} already. Use your own link if that is you, or another name.")
        if len(self.pupils) >= MAX_MEMBERS:
            raise BadInput(f"the class is full: at most {MAX_MEMBERS} pupils.")
        new = ClassMember(self.next_id, name, secrets.token_urlsafe(18))
        return replace(self, pupils=(*self.pupils, new), next_id=self.next_id + 1)

    def without(self, pupil: ClassMember) -> ClassRecord:
        return replace(self, pupils=tuple(other for other in self.pupils if other != pupil))

    def teacher_token(self, role: Role, pupil: ClassMember) -> str:
        """Return the secret with which the teacher views a workspace, or helps in it."""
        message = f"{role.value}{pupil.id}.{pupil.secret}"
        return f"{role.value}{pupil.id}.{hmac.digest(self.secret.encode(), message.encode(), 'sha256').hex()}"

    def visitor(self, token: str) -> tuple[Role, ClassMember | None] | None:
        """Return whose secret this is, or None if it is nobody's.

        >>> anna = ClassRecord.new().with_pupil("Anna")
        >>> role, pupil = anna.visitor(anna.pupils[0].token)
        >>> role.name, pupil.name, anna.visitor(anna.code), anna.visitor("p1.")
        ('PUPIL', 'Anna', None, None)
        """
        given = token.encode()
        if hmac.compare_digest(given, self.secret.encode()):
            return Role.TEACHER, None
        for pupil in self.pupils:
            if hmac.compare_digest(given, pupil.token.encode()):
                return Role.PUPIL, pupil
            for role in (Role.VIEWER, Role.HELPER):
                if token[:1] == role.value and hmac.compare_digest(given, self.teacher_token(role, pupil).encode()):
                    return role, pupil
        return None

    def to_json(self) -> dict[str, Any]:
        return {"schema": SCHEMA, **asdict(self)}

    @classmethod
    def from_json(cls, value: Any, where: str) -> ClassRecord:
        if not isinstance(value, dict) or value.get("schema") != SCHEMA:
            raise BadInput(f'{where}: not a class: "schema" must be "{SCHEMA}".')
        code, secret, items, next_id = (value.get(key) for key in ("code", "secret", "pupils", "next_id"))
        if not is_code(code) or not _is_secret(secret) or not _is_number(next_id):
            raise BadInput(f'{where}: "code", "secret" or "next_id" is damaged.')
        if not isinstance(items, list) or len(items) > MAX_MEMBERS:
            raise BadInput(f'{where}: "pupils" must be a list of at most {MAX_MEMBERS}.')
        pupils = tuple(_pupil(item, f"{where}, pupil {i}") for i, item in enumerate(items))
        if len({pupil.id for pupil in pupils}) < len(pupils) or any(pupil.id >= next_id for pupil in pupils):
            raise BadInput(f'{where}: the "id" of each pupil must be unique and below "next_id".')
        return cls(code, secret, pupils, ClassSettings.from_json(value.get("settings"), where), next_id)


def is_code(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) == CODE_LETTERS and set(value) <= set(LETTERS)


def check_name(value: Any) -> str:
    """Return a pupil's name with single spaces; BadInput unless it is a short one of letters and digits.

    >>> check_name("  Zoë  van Dam ")
    'Zoë van Dam'
    """
    name = " ".join(unicodedata.normalize("NFC", value).split()) if isinstance(value, str) else ""
    good = all(c in NAME_PUNCTUATION or unicodedata.category(c)[0] in "LMN" for c in name)
    if not good or not 1 <= len(name) <= MAX_NAME or unicodedata.category(name[0])[0] not in "LN":
        raise BadInput(f"a name has 1 to {MAX_NAME} letters, digits, spaces or hyphens.")
    return name


def _key(name: str) -> str:
    """Return what two names have in common that people cannot tell apart."""
    return unicodedata.normalize("NFKC", name).casefold()


def _pupil(value: Any, where: str) -> ClassMember:
    if not isinstance(value, dict) or not _is_number(value.get("id")) or not _is_secret(value.get("secret")):
        raise BadInput(f'{where}: needs "id", "name" and "secret".')
    with at(f"{where}: "):
        return ClassMember(value["id"], check_name(value.get("name")), value["secret"])


def _is_number(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value < 10**9


def _is_secret(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and 16 <= len(value) <= 100 and value.isascii()


class Door:
    """Check class codes, and refuse addresses that guess. Times are in seconds, by any clock."""

    def __init__(self) -> None:
        self._wrong: dict[str, list[float]] = {}

    def check(self, code: Any, right: str, address: str, now: float) -> None:
        """Raise BadInput unless the code is right and its sender has not guessed too often."""
        recent = {who: [t for t in times if t > now - GUESS_SECONDS] for who, times in self._wrong.items()}
        self._wrong = {who: times for who, times in recent.items() if times}
        mine = self._wrong.get(address, [])
        if len(mine) >= MAX_GUESSES or sum(map(len, self._wrong.values())) >= MAX_ALL_GUESSES:
            raise BadInput("too many wrong codes. Wait a minute, and ask your teacher for the code.")
        given = code.strip().upper() if isinstance(code, str) else ""
        if not hmac.compare_digest(given.encode(), right.encode()):
            self._wrong[address] = [*mine, now]
            raise BadInput("that is not the code of this class. It is on your teacher's screen.")


class ClassFolder(OwnFolder):
    """The folder of a class, open in one studio at a time. Use as a context manager, or call `close`."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(path, "the folder of a class")
        if self.mode(PROJECT):
            self.close()
            raise BadInput(f"{self.path}: is a project, not a class. Give another folder with --project.")

    def load(self) -> ClassRecord:
        """Return the class in this folder; a new one, saved, if there is none."""
        text = self.read_text(CLASS, MAX_RECORD)
        where = str(self.path / CLASS)
        if not text:
            record = ClassRecord.new()
            if text is None:  # whoever can read this file has every secret of the class; later writes keep the mode
                self.create(CLASS, b"", 0o600)
            self.save(record)
            return record
        return ClassRecord.from_json(parse_json(text, where), where)

    def save(self, record: ClassRecord) -> None:
        self.write(CLASS, encode_json(record.to_json(), str(self.path / CLASS)))

    def project(self, pupil: ClassMember) -> Project:
        """Open the project of a pupil, which is made if need be."""
        mode = self.mode(pupil.folder)
        if mode and not stat.S_ISDIR(mode):
            raise BadInput(f"{self.path / pupil.folder}: not a plain folder, so it is not opened.")
        return Project(self.path / pupil.folder)
