"""Find free ports of 127.0.0.1 and reserve them until they are listened on."""

import contextlib
import secrets
import socket
from collections.abc import Iterable

HOST = "127.0.0.1"
GRPC_OFFSET = 10_000  # SeaweedFS serves gRPC on the HTTP port plus this
HIGHEST_PORT = 65_535 - GRPC_OFFSET
_HELD: dict[int, socket.socket] = {}


class NoFreePortError(RuntimeError):
    """Too few free ports; the message says how many were found."""


def free_ports(count: int, *, avoid: Iterable[int] = ()) -> list[int]:
    """Find `count` ports that are free now with their gRPC twins; no other process that uses this module gets one of
    them until this one ends. Raises NoFreePortError."""
    found: list[int] = []
    unwanted = set(avoid)
    for _ in range(200 * count):
        # Below the range the kernel hands to clients, so that no outgoing connection takes one in the meantime.
        port = 20_000 + secrets.randbelow(2_700)
        if port not in unwanted and port not in _HELD and pair_is_free(port):
            found.append(port)
            unwanted.add(port)
        if len(found) == count:
            return found
    raise NoFreePortError(f"found only {len(found)} of {count} free ports on {HOST}")


def pair_is_free(port: int) -> bool:
    """Whether this process may listen on the port and its gRPC twin; if so, the port is reserved for this process."""
    return 1024 <= port <= HIGHEST_PORT and port_is_free(port) and port_is_free(port + GRPC_OFFSET) and _hold(port)


def port_is_free(port: int) -> bool:
    """Whether a server could listen on this port of 127.0.0.1 now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def _hold(port: int) -> bool:
    """Reserve a port by a UDP socket on its number: nothing here uses UDP, and the kernel closes it with the
    process."""
    if port not in _HELD:
        with contextlib.ExitStack() as unless_bound:
            held = unless_bound.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            try:
                held.bind((HOST, port))
            except OSError:
                return False
            unless_bound.pop_all()
        _HELD[port] = held
    return True
