"""Keys: what makes a draw the same for whoever holds it and unforeseeable for everyone else."""
from __future__ import annotations

import os
import re
from typing import Union

from . import _core
from ._errors import UsageError

_DIGITS = re.compile("[0-9a-fA-F]{64}")

KeyLike = Union["Key", str, "os.PathLike[str]"]


class Key:
    """A key of 64 hexadecimal digits.

    ``Key.new()`` makes one, ``Key.create(path)`` keeps a new one in a file that only its owner can read, and
    ``Key.read(path)`` reads it. The digits never show in ``repr``; ``commitment`` may be published before a draw.
    """

    __slots__ = ("_digits",)

    def __init__(self, digits: str) -> None:
        _core.key_commitment(digits)  # refuses what is not a key, and weak ones
        self._digits = digits

    @classmethod
    def new(cls) -> Key:
        """A fresh key from the system's source of randomness."""
        return cls(_core.key_make())

    @classmethod
    def create(cls, path: Union[str, os.PathLike[str]]) -> Key:
        """A fresh key, kept in a new file of mode 0600."""
        _core.key_create(os.fspath(path))
        return cls.read(path)

    @classmethod
    def read(cls, path: Union[str, os.PathLike[str]]) -> Key:
        """The key in a file."""
        return cls(_core.key_read(os.fspath(path)))

    @classmethod
    def of(cls, key: KeyLike) -> Key:
        """A key as it is, from its digits, or from its file: 64 hexadecimal digits are a key, any other text is a path."""
        if isinstance(key, Key):
            return key
        if isinstance(key, str) and _DIGITS.fullmatch(key):
            return cls(key)
        if isinstance(key, str) and not os.path.exists(key):
            raise UsageError("the key is neither 64 hexadecimal digits nor a file")
        return cls.read(key)

    @property
    def digits(self) -> str:
        """The secret itself."""
        return self._digits

    @property
    def commitment(self) -> str:
        """SHA-256 of the digits."""
        return _core.key_commitment(self._digits)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self._digits == other._digits

    def __hash__(self) -> int:
        return hash(self.commitment)

    def __repr__(self) -> str:
        return f"<Key with commitment {self.commitment[:16]}…>"


def create_signing_key(path: Union[str, os.PathLike[str]]) -> None:
    """A new pair of keys that sign certificates: the file of mode 0600 stays with you, the one with ".pub" behind its name is for others."""
    _core.signing_key_create(os.fspath(path))
