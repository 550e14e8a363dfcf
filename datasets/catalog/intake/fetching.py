"""Fetch URLs that users name: only from hosts that an operator allows, and never from inside our own network.

The name is looked up once, all its addresses are checked, and the connection goes to a checked address: a DNS answer
that changes afterwards has no effect. A redirect is followed only where the caller asks for it, and then looked at like
any address; no credentials are sent, and every transfer has a time and a size limit.
"""

import http.client
import ipaddress
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Self
from urllib.parse import urljoin, urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolve = Callable[[str, int], Sequence[str]]
Announced = Callable[[int], None]

MAX_BYTES = 64 << 20
MAX_SECONDS = 60.0
CONNECT_SECONDS = 10.0
CHUNK = 1 << 18
PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"(?!-)[a-z0-9-]{1,63}(\.(?!-)[a-z0-9-]{1,63})*")
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")  # the last part of a name that resolvers read as an IPv4 address
# IANA's registries of special-purpose addresses (iana-ipv4-special-registry, iana-ipv6-special-registry), whatever they
# say of being reached globally, and multicast. Of IPv6 nothing is public outside of the one block that is given out
# (2000::/3): so loopback, mapped, NAT64 (64:ff9b::/96), discard, site-local, unique local and link-local are not.
_GIVEN_OUT = ipaddress.ip_network("2000::/3")
_SPECIAL = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
    )
)  # fmt: skip


class FetchError(Exception):
    """Base of the errors of a fetch; `code` is stable."""

    code = "url_failed"


class UrlRefused(FetchError):  # noqa: N818 - what was refused is the URL
    """The URL is not allowed; the message says why."""

    code = "url_not_allowed"


class FetchFailed(FetchError):  # noqa: N818 - read aloud
    """The host did not send the bytes, sent too many, or was too slow."""


@dataclass(frozen=True, slots=True)
class AllowList:
    """Hosts (`images.example.org`, `*.example.org`, either with `:port`) and networks (`10.1.0.0/16`) that may be
    reached although they are not public. If it is empty, nothing can be fetched."""

    hosts: frozenset[tuple[str, int | None]]
    networks: tuple[Network, ...]

    @classmethod
    def of(cls, entries: Sequence[str]) -> Self:
        """Parse the entries. Raises ValueError for an entry that is neither."""
        hosts, networks = set[tuple[str, int | None]](), list[Network]()
        for entry in entries:
            if "/" in entry:
                networks.append(ipaddress.ip_network(entry))
                continue
            name, _, port = entry.strip().lower().partition(":")
            if not _HOST.fullmatch(name.removeprefix("*.")):
                raise ValueError(
                    f"{entry!r} is neither a host, like images.example.org or *.example.org:8443, nor a network"
                )
            hosts.add((name, int(port) if port else None))
        return cls(frozenset(hosts), tuple(networks))

    def knows(self, host: str, port: int, *, default: bool) -> bool:
        """Whether the list allows the host on this port; a host listed without a port only on a `default` port."""
        parents = [f"*.{host.partition('.')[2]}"] if "." in host else []
        while parents and "." in (rest := parents[-1].removeprefix("*.")):
            parents.append(f"*.{rest.partition('.')[2]}")
        names = [host, *parents]
        return any((name, port) in self.hosts or (default and (name, None) in self.hosts) for name in names)

    def reaches(self, address: Address) -> bool:
        """Whether the address is public, or in a network that an operator allows."""
        if any(address.version == network.version and address in network for network in self.networks):
            return True
        mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
        if mapped is not None:
            return self.reaches(mapped)
        if isinstance(address, ipaddress.IPv6Address) and address not in _GIVEN_OUT:
            return False
        return not any(address.version == network.version and address in network for network in _SPECIAL)


@dataclass(frozen=True, slots=True)
class _Target:
    """A parsed URL that is allowed."""

    scheme: str
    host: str
    port: int
    path: str


def lookup(host: str, port: int) -> Sequence[str]:
    """Return all IP addresses of a host."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def fetch(
    url: str,
    allowed: AllowList,
    *,
    resolve: Resolve = lookup,
    max_bytes: int = MAX_BYTES,
    seconds: float = MAX_SECONDS,
    tls: ssl.SSLContext | None = None,
) -> bytes:
    """Return the body of a 200 response, of an image. Raises UrlRefused, FetchFailed."""
    return b"".join(
        streamed(url, allowed, accept="image/*", resolve=resolve, max_bytes=max_bytes, seconds=seconds, tls=tls)
    )


def streamed(
    url: str,
    allowed: AllowList,
    *,
    accept: str = "*/*",
    redirects: int = 0,
    resolve: Resolve = lookup,
    max_bytes: int = MAX_BYTES,
    seconds: float = MAX_SECONDS,
    tls: ssl.SSLContext | None = None,
    announced: Announced = lambda _: None,
) -> Iterator[bytes]:
    """Yield the body of a 200 response piece by piece, after at most so many `redirects`, each of which must be allowed
    too. `announced` is told the length that the host says, if it does. Raises UrlRefused, FetchFailed, also after some
    pieces: what came is whole only when the iterator ends."""
    until = time.monotonic() + seconds
    for left in range(redirects, -1, -1):
        target = _target(url, allowed)
        connection = _Pinned(target, _address(target, allowed, resolve), tls or ssl.create_default_context())
        # Also stops a host that sends slowly but steadily.
        alarm = threading.Timer(max(0.0, until - time.monotonic()), connection.abort)
        alarm.daemon = True
        alarm.start()
        try:
            with closing(connection):
                connection.request("GET", target.path, headers={"Accept": accept, "User-Agent": "Motherlode"})
                answer = connection.getresponse()
                moved = _moved(answer) if left else None
                if moved is None:
                    yield from _body(answer, max_bytes, announced)
        except (OSError, http.client.HTTPException, ValueError) as error:
            late = "took too long" if connection.aborted else type(error).__name__
            raise FetchFailed(f"{target.host} did not answer as hoped ({late})") from error
        finally:
            alarm.cancel()
        if connection.aborted:  # a body cut off by `abort` looks complete
            raise FetchFailed(f"{target.host} took longer than {seconds:.0f} s")
        if moved is None:
            return
        url = urljoin(url, moved)


def check_url(url: str, allowed: AllowList) -> None:
    """Raise UrlRefused for a URL that is not allowed, as far as can be told without looking its host up."""
    _target(url, allowed)


def _target(url: str, allowed: AllowList) -> _Target:
    if not allowed.hosts:
        raise UrlRefused("nothing is fetched from addresses here: an operator allows hosts in MOTHERLODE_IMPORT_HOSTS")
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise UrlRefused("the address holds characters that must be percent-encoded")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UrlRefused("the address is malformed") from error
    if parts.scheme not in PORTS or not parts.hostname:
        raise UrlRefused("only http and https addresses are fetched")
    if "@" in parts.netloc:
        raise UrlRefused("addresses with a user or password are not fetched")
    host = parts.hostname.removesuffix(".")
    if not _HOST.fullmatch(host) or (_NUMERIC.fullmatch(host.rpartition(".")[2]) and not _is_ipv4(host)):
        raise UrlRefused("the host must be a name or a plain IPv4 address")
    default = PORTS[parts.scheme]
    if not allowed.knows(host, port or default, default=port in {None, default}):
        raise UrlRefused(f"{host} is not among the hosts that an operator allowed")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return _Target(parts.scheme, host, port or default, path)


def _address(target: _Target, allowed: AllowList, resolve: Resolve) -> str:
    """Return the IP address to connect to. Raises UrlRefused if any address of the name is not allowed."""
    try:
        found = [str(address).partition("%")[0] for address in resolve(target.host, target.port)]
        addresses = [ipaddress.ip_address(address) for address in found]
    except (OSError, ValueError) as error:
        raise FetchFailed(f"{target.host} has no address") from error
    if not addresses:
        raise FetchFailed(f"{target.host} has no address")
    if not all(allowed.reaches(address) for address in addresses):
        raise UrlRefused(f"{target.host} has an address that is not public")
    return found[0]


def _moved(answer: http.client.HTTPResponse) -> str | None:
    """Return the address that a redirect names; None for another answer."""
    return answer.getheader("Location") if 300 <= answer.status < 400 else None


def _body(answer: http.client.HTTPResponse, max_bytes: int, announced: Announced) -> Iterator[bytes]:
    if 300 <= answer.status < 400:
        raise UrlRefused("the host redirects elsewhere, which is not followed: name the final address")
    if answer.status != http.HTTPStatus.OK:
        raise FetchFailed(f"the host answered {answer.status}")
    if (answer.length or 0) > max_bytes:
        raise FetchFailed(f"the host announced more than {max_bytes} bytes")
    if answer.length is not None:
        announced(answer.length)
    size = 0
    while piece := answer.read(CHUNK):
        size += len(piece)
        if size > max_bytes:
            raise FetchFailed(f"the host sent more than {max_bytes} bytes")
        yield piece
    if answer.length:
        raise FetchFailed(f"the host broke off {answer.length} bytes before the end")


def _is_ipv4(host: str) -> bool:
    with suppress(ValueError):
        return str(ipaddress.IPv4Address(host)) == host
    return False


class _Pinned(http.client.HTTPConnection):
    """A connection to one IP address, which uses the host's name for `Host`, SNI and the certificate."""

    def __init__(self, target: _Target, address: str, tls: ssl.SSLContext) -> None:
        super().__init__(target.host, target.port, timeout=CONNECT_SECONDS)
        self._address, self._scheme, self._tls = address, target.scheme, tls
        self._held: socket.socket | None = None  # `sock` is handed to the response
        self.aborted = False
        self.default_port = PORTS[target.scheme]  # else `Host` would contain the port

    def connect(self) -> None:
        """Connect to the checked address, whatever the name resolves to now."""
        self.sock = socket.create_connection((self._address, self.port), timeout=CONNECT_SECONDS)
        if self._scheme == "https":
            self.sock = self._tls.wrap_socket(self.sock, server_hostname=self.host)
        self._held = self.sock

    def abort(self) -> None:
        """End the transfer from another thread."""
        self.aborted = True
        if self._held is not None:
            with suppress(OSError):
                self._held.shutdown(socket.SHUT_RDWR)
