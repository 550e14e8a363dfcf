"""Fetch the files of an encoder from the addresses that a user named, into a folder of a worker."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from catalog.intake import addresses
from catalog.intake.fetching import FetchError
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from similarity.encoders import MOST_BYTES, PARTS, REFUSED, TOKENIZER_BYTES, Source

SECONDS = 3600.0
"""How long one file may take."""
REDIRECTS = 3
MEGABYTE = 1_000_000


class _Progress:
    """Megabytes that came of those that hosts have announced so far."""

    def __init__(self, context: ShardContext) -> None:
        self._context, self._done, self._total = context, 0, 0

    def announced(self, size: int) -> None:
        self._total += size
        self._show()

    def came(self, size: int) -> None:
        self._done += size
        self._context.check()
        self._show()

    def _show(self) -> None:
        total = max(self._done, self._total)
        self._context.progress(self._done // MEGABYTE, max(1, -(-total // MEGABYTE)))


def fetch_parts(sources: Mapping[str, Source], folder: Path, context: ShardContext) -> dict[str, int]:
    """Fetch every file into the folder under its part's name, the smallest kind first. Returns their sizes in bytes.
    Raises ShardFailed (`encoder_image`, ..) for an address that is not allowed or does not answer, a file that is too
    large, or one with another digest; JobCancelled, LeaseLost."""
    progress, left, found = _Progress(context), MOST_BYTES, dict[str, int]()
    for part in reversed(PARTS):
        source = sources[part]
        most = min(left, TOKENIZER_BYTES) if part == "tokenizer" else left
        pieces = addresses.pieces(
            source.url, redirects=REDIRECTS, max_bytes=most, seconds=SECONDS, announced=progress.announced
        )
        context.log(f"fetching {source.url}")
        try:
            digest, size = _written(pieces, folder / part, progress)
        except FetchError as error:
            raise ShardFailed(f"{part}: {source.url}: {error}", code=f"{REFUSED}{part}") from error
        if digest != source.sha256:
            detail = f"{part}: the file at {source.url} has the SHA-256 {digest}, not {source.sha256}: nothing was kept"
            raise ShardFailed(detail, code=f"{REFUSED}{part}")
        found[part], left = size, left - size
    return found


def _written(pieces: Iterable[bytes], path: Path, progress: _Progress) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    with path.open("wb") as file:
        for piece in pieces:
            file.write(piece)
            digest.update(piece)
            size += len(piece)
            progress.came(len(piece))
    return digest.hexdigest(), size
