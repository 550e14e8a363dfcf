"""Uploaded files: under the names they were sent with, all of one request in one temporary file.

Django keeps only the last part of a file's name, and beyond a megabyte opens a temporary file per upload, so a folder
of a thousand images fails with "too many open files".
"""

import io
import tempfile
from functools import cached_property
from typing import IO, Any, BinaryIO, cast

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, QueryDict
from django.http.multipartparser import MultiPartParser
from django.utils.datastructures import MultiValueDict

IN_MEMORY = 1 << 20
READ_BYTES = 1 << 16


class SentFile(UploadedFile):
    """One uploaded file. `sent_name` is the name as it was sent: to show and to match, never a path to write to."""

    sent_name: str

    @cached_property
    def stream(self) -> BinaryIO:
        """A buffered stream for reading lines and many small pieces. Made on first use: it holds READ_BYTES, and a
        request may send ten thousand files."""
        return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, self.file), READ_BYTES))


class SpooledUploads(FileUploadHandler):
    """An upload handler that takes over the parsing: FILE_UPLOAD_HANDLERS names this one alone."""

    def handle_raw_input(
        self,
        input_data: IO[bytes],
        META: dict[str, str],  # noqa: N803 - Django's name for it
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> tuple[QueryDict, MultiValueDict[str, UploadedFile]]:
        """Return all fields and files of a multipart body."""
        del content_length, boundary  # META has them
        return _NameKeepingParser(META, input_data, [_Spool(self.request)], encoding).parse()


class _Spool(FileUploadHandler):
    """Writes a request's files one after the other into one spooled file."""

    chunk_size = 1 << 18

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        # Not a `with`: it lives as long as the request's files, and is gone from the disk when they are.
        self._whole = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - see above
        self._start = 0

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self._start = self._whole.seek(0, io.SEEK_END)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:  # noqa: ARG002 - Django's hook
        self._whole.write(raw_data)

    def file_complete(self, file_size: int) -> SentFile:
        """Return the file just received."""
        part = cast(IO[bytes], Slice(self._whole, self._start, file_size))
        return SentFile(part, self.file_name, self.content_type, file_size, self.charset, self.content_type_extra)


class _NameKeepingParser(MultiPartParser):
    """Django's parser, which also records each file's name before it is cut down."""

    _files: MultiValueDict[str, SentFile]  # Django's own; its stubs leave it out
    _sent = ""

    def sanitize_file_name(self, file_name: str) -> str:
        self._sent = file_name
        # Django drops a file without a clean name silently; here it arrives, and its key is refused with an error.
        return super().sanitize_file_name(file_name) or "unnamed"

    def handle_file_complete(self, old_field_name: str, counters: list[int]) -> None:
        super().handle_file_complete(old_field_name, counters)
        file = self._files.getlist(old_field_name)[-1]
        file.sent_name = self._sent


class Slice(io.RawIOBase):
    """A part of a larger file, as a file of its own. Not for use by several threads at once."""

    def __init__(self, whole: IO[bytes], start: int, size: int) -> None:
        self._whole, self._start, self._size, self._at = whole, start, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        left = max(0, self._size - self._at)
        self._whole.seek(self._start + self._at)
        data = self._whole.read(left if size is None or size < 0 else min(size, left))
        self._at += len(data)
        return data

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
