"""Files that are written in parallel from one stream: in memory while small, then on disk."""

import tempfile
from collections.abc import Iterator

MEMORY_BYTES = 4 << 20
CHUNK = 1 << 20


class Spool:
    """Bytes written now and read once at the end, joined by `separator`."""

    def __init__(self, separator: bytes = b",\n") -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES)  # noqa: SIM115 - closed when it was read
        self._separator = separator
        self._count = 0

    def add(self, data: bytes) -> int:
        """Append one piece; returns the number of pieces."""
        if self._count:
            self._file.write(self._separator)
        self._file.write(data)
        self._count += 1
        return self._count

    def chunks(self) -> Iterator[bytes]:
        """Yield the whole content; it can be read only once."""
        with self._file as file:
            file.seek(0)
            while chunk := file.read(CHUNK):
                yield chunk
