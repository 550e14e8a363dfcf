"""Motherlode for Python: the client, the `lode` command and the examples. No Django, no torch."""

from motherlode.client import Motherlode
from motherlode.errors import MotherlodeError

__all__ = ["Motherlode", "MotherlodeError"]
