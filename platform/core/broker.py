"""kombu's Redis transport, mended: what is done on a connection that was closed fails as a lost connection does.

When Redis goes away while a worker holds messages, kombu closes the connection twice, and acknowledges on it what ends
later. Where the first close failed halfway, its channel asks a transport that is gone for the address: that is an
AttributeError, nobody expects it, and the worker ends. A lost connection is expected: the worker connects again.
"""

from typing import Any

from kombu.transport import redis
from redis.exceptions import ConnectionError as LostConnection


class Channel(redis.Channel):
    """A channel that knows when its connection is gone."""

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002 - kombu's signature
        if self.connection is None or self.connection.client is None:
            raise LostConnection("the connection to the broker was closed")
        found: dict[str, Any] = super()._connparams(asynchronous=asynchronous)  # type: ignore[misc]  # has no stub
        return found


class Transport(redis.Transport):
    """What `redis://` stands for; see `config.celery`."""

    Channel = Channel
