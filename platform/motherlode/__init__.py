"""Motherlode for Python: the client, the `lode` command and the examples. No Django, no torch.

The client is imported when it is first asked for: `lode` is a Ctrl-C away from its end before that.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from motherlode.client import Motherlode
    from motherlode.errors import MotherlodeError

__all__ = ["Motherlode", "MotherlodeError"]


def __getattr__(name: str) -> Any:
    if name == "Motherlode":
        from motherlode.client import Motherlode

        return Motherlode
    if name == "MotherlodeError":
        from motherlode.errors import MotherlodeError

        return MotherlodeError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
