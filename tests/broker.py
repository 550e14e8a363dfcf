"""The broker of the tests, behind a relay: the Valkey of a wheel, or the server of the production profile."""

import subprocess
import time
from contextlib import suppress
from urllib.parse import urlsplit

import redis
from django.conf import settings
from kombu import Connection
from tests.relay import Relay
from tests.workers import wait_until

from embedded import valkey

QUEUES = ("clock", "default", "compute", "practice")
START_SECONDS = 10.0


class Broker:
    """`relay.stop()` takes it away, `relay.start()` brings it back, `forget()` loses every message."""

    def __init__(self, url: str, relay_port: int, *, own: bool) -> None:
        self.url = url
        self.own = own
        parts = urlsplit(url)
        self.address = (parts.hostname or "127.0.0.1", parts.port or {"amqp": 5672}.get(parts.scheme, 6379))
        self.relay = Relay(relay_port, self.address)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        if self.own:
            host, port = self.address
            argv = [str(valkey.binary()), "--bind", host, "--port", str(port), "--save", "", "--appendonly", "no"]
            self._process = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
            deadline = time.monotonic() + START_SECONDS
            while not self._answers():
                assert time.monotonic() < deadline, "the Valkey server did not start"
                time.sleep(0.01)
        self.relay.start()

    def stop(self) -> None:
        self.relay.stop()
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
        else:
            self._each_queue("queue_delete")

    def kill(self) -> None:
        """The server dies without a word and comes back empty; one that is not ours only goes away for a moment."""
        self.relay.stop()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self.start()

    def forget(self) -> None:
        if self.own:
            with redis.Redis.from_url(self.url) as client:
                client.flushall()
        else:
            self._each_queue("queue_purge")

    def wait_unheard(self) -> None:
        """Until it knows that a killed worker listens no more: Redis would give it one more message."""
        if self.own:
            with redis.Redis.from_url(self.url) as client:
                wait_until(lambda: client.info("clients")["blocked_clients"] == 0)

    def _each_queue(self, action: str) -> None:
        with Connection(self.url) as connection:
            for queue in QUEUES:
                channel = connection.channel()  # RabbitMQ closes the channel where there is no such queue
                with suppress(*connection.channel_errors):
                    getattr(channel, action)(settings.QUEUE_PREFIX + queue)

    def _answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url) as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False
