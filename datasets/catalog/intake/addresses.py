"""What is fetched by URL, from the hosts in the setting IMPORT_HOSTS."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import islice

from django.conf import settings

from catalog.changes.sets import Rejection
from catalog.intake.fetching import AllowList, Announced, FetchError, fetch, lookup, streamed
from catalog.intake.incoming import Incoming

THREADS = 4


def fetched(wanted: Iterable[tuple[str, str]]) -> Iterator[Incoming | Rejection]:
    """Yield each (key, URL) as an image or a rejection, in order, fetching a few at a time."""
    rest = iter(wanted)
    get = partial(_fetched, allowed_hosts())
    with ThreadPoolExecutor(THREADS, thread_name_prefix="fetch") as pool:
        while some := list(islice(rest, THREADS)):
            yield from pool.map(get, some)


def allowed_hosts() -> AllowList:
    """Return the hosts that an operator allows."""
    return _allowed(tuple(settings.IMPORT_HOSTS))


def pieces(url: str, *, redirects: int, max_bytes: int, seconds: float, announced: Announced) -> Iterator[bytes]:
    """Yield the body of a URL, as `streamed` does, from these hosts."""
    return streamed(
        url,
        allowed_hosts(),
        redirects=redirects,
        resolve=lookup,
        max_bytes=max_bytes,
        seconds=seconds,
        announced=announced,
    )


def _fetched(allowed: AllowList, wanted: tuple[str, str]) -> Incoming | Rejection:
    key, url = wanted
    try:
        return Incoming(key, fetch(url, allowed, resolve=lookup))
    except FetchError as error:
        return Rejection(key, error.code, f"url: {error}")


@cache
def _allowed(entries: tuple[str, ...]) -> AllowList:
    return AllowList.of(entries)
