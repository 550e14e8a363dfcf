"""A name server for one name, on loopback, as Docker has one for the names of its services."""

import socket
import threading
from collections.abc import Sequence

SECONDS_KEPT = 600  # as Docker's own answers say
HEADER, ANSWER_FLAGS = 12, b"\x81\x80"
A_RECORD = b"\xc0\x0c\x00\x01\x00\x01"


class NameServer:
    """Answers every question for an A record with `addresses`, which may be changed at any time."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self.addresses = list(addresses)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        threading.Thread(target=self._serve, name="names", daemon=True).start()

    @property
    def place(self) -> str:
        """Return its address and port."""
        host, port = self._socket.getsockname()
        return f"{host}:{port}"

    def close(self) -> None:
        """Stop answering."""
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                question, asker = self._socket.recvfrom(512)
                self._socket.sendto(answer(question, self.addresses), asker)
            except OSError:  # closed
                return


def answer(question: bytes, addresses: Sequence[str]) -> bytes:
    """Return the answer to a question of one name."""
    count = len(addresses).to_bytes(2)
    head = question[:2] + ANSWER_FLAGS + question[4:6] + count + bytes(4)
    asked = question[HEADER : question.index(b"\0", HEADER) + 5]
    found = b"".join(
        A_RECORD + SECONDS_KEPT.to_bytes(4) + (4).to_bytes(2) + socket.inet_aton(address) for address in addresses
    )
    return head + asked + found
