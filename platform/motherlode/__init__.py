"""The client of a Motherlode platform and the `lode` command. Imports neither Django nor torch."""

from motherlode.client import Motherlode
from motherlode.errors import MotherlodeError

__all__ = ["Motherlode", "MotherlodeError"]
