"""A TCP relay in front of a server, so that a test can take the server away and bring it back."""

import contextlib
import socket
import threading
import time

BETWEEN = 0.02  # seconds from one cut to the next


class Relay:
    def __init__(self, port: int, upstream: tuple[str, int]) -> None:
        self.port = port
        self.upstream = upstream
        self._listener: socket.socket | None = None
        self._flows = threading.Event()
        self._flows.set()
        self._left: int | None = None  # bytes until it freezes by itself
        self._counting = threading.Lock()
        self._open: dict[socket.socket, None] = {}  # in the order in which they were opened

    def start(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port), reuse_port=False)
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def stop(self, *, newest_first: bool = False) -> None:
        """Refuse new connections and cut those that are open, one after the other: each is noticed by itself."""
        if self._listener is not None:
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None
        opened = list(self._open)
        for connection in reversed(opened) if newest_first else opened:
            self._close(connection)
            time.sleep(BETWEEN)

    def freeze(self) -> None:
        """Hold back all bytes: whoever is connected, or connects, waits."""
        self._flows.clear()

    def freeze_in(self, size: int) -> None:
        """Freeze by itself once `size` more bytes, of both directions, have come."""
        self._left = size

    @property
    def is_frozen(self) -> bool:
        return not self._flows.is_set()

    def thaw(self) -> None:
        """Let what was held back, and all that comes, through."""
        self._flows.set()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
                server = socket.create_connection(self.upstream)
            except OSError:
                return
            self._open |= {client: None, server: None}
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(source, target), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self._count(len(data))
                self._flows.wait()
                target.sendall(data)
        self._close(source)
        self._close(target)

    def _count(self, size: int) -> None:
        with self._counting:
            if self._left is None:
                return
            self._left -= size
            if self._left < 0:
                self._left = None
                self.freeze()

    def _close(self, connection: socket.socket) -> None:
        self._open.pop(connection, None)
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        connection.close()
