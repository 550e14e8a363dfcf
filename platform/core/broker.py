"""kombu's Redis transport, repaired: an operation on a closed connection fails as a lost connection does.

When Redis goes away while a worker holds messages, kombu closes the connection twice, and then acknowledges on it the
messages that finish later. If the first close failed halfway, its channel asks a transport that no longer exists for
the address: that raises an AttributeError, which nothing catches, and the worker ends. A lost connection is caught: the
worker connects again.
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
    """The transport that `redis://` selects; see `config.celery`."""

    Channel = Channel
