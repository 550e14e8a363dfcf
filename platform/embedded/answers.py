"""Detect where a response of the web server ends, so that the front knows when a thread is free again."""

import re

_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,15})[ \t]*\r\n", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:[ \t]*chunked[ \t]*\r\n", re.IGNORECASE)
_LAST_CHUNK = b"0\r\n\r\n"


class AnswerEnd:
    """Follows one response. A response with neither a length nor chunks ends with its connection.

    The bytes passed on don't depend on this: body bytes at the end of a piece that look like a last chunk only free a
    place early.
    """

    def __init__(self, request: bytes) -> None:
        self.found = False
        self._bodiless = request.startswith(b"HEAD ")
        self._head: bytes | None = b""
        self._left: int | None = None  # bytes of a body of stated length
        self._tail = b""  # of a body in chunks

    def take(self, data: bytes) -> None:
        """Process the next piece of the response; afterwards `found` says whether it was the last."""
        if self._head is not None:
            head, end, data = (self._head + data).partition(b"\r\n\r\n")
            self._head = None if end else head
            if not end:
                return
            if head[9:10] == b"1":  # 100 Continue: the answer is still to come
                self._head = b""
                self.take(data)
                return
            self._begin(head + end)
        if self._left is not None:
            self._left -= len(data)
            self.found |= self._left <= 0
        self._tail = (self._tail + data)[-len(_LAST_CHUNK) :]
        self.found |= self._left is None and self._tail == _LAST_CHUNK

    def _begin(self, head: bytes) -> None:
        length = _LENGTH.search(head)
        if self._bodiless or head[9:12] in {b"204", b"304"}:
            self._left = 0
        elif length and not _CHUNKED.search(head):
            self._left = int(length[1])
