"""How many messages wait in the broker: Redis by LLEN, RabbitMQ by a passive declaration, any other broker is not
asked."""

import logging
from collections.abc import Iterable
from typing import Any

import redis
from amqp.exceptions import NotFound
from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)
PATIENCE_SECONDS = 2.0


def waiting(queues: Iterable[str]) -> dict[str, int | None]:
    """Map each queue (without the prefix) to its messages; None if unknown: the broker does not answer, or has no such
    queue."""
    names = list(queues)
    unknown: dict[str, int | None] = dict.fromkeys(names)
    try:
        if settings.CELERY_BROKER_URL.startswith("redis"):
            return unknown | _in_redis(names)
        if settings.CELERY_BROKER_URL.startswith("amqp"):
            return unknown | _in_rabbitmq(names)
    except (redis.RedisError, OperationalError, OSError) as error:
        logger.warning("the broker does not say how long its queues are: %s", error)
    return unknown


def _in_redis(names: list[str]) -> dict[str, int]:
    """Count messages in Redis, where a queue without messages has no key."""
    url = settings.CELERY_BROKER_URL
    with redis.Redis.from_url(url, socket_timeout=PATIENCE_SECONDS, socket_connect_timeout=PATIENCE_SECONDS) as client:
        pipe = client.pipeline(transaction=False)
        for name in names:
            pipe.llen(settings.QUEUE_PREFIX + name)
        return dict(zip(names, map(int, pipe.execute()), strict=True))


def _in_rabbitmq(names: list[str]) -> dict[str, int | None]:
    found: dict[str, int | None] = {}
    with current_app.connection_for_read(connect_timeout=PATIENCE_SECONDS) as connection:
        for name in names:
            channel: Any = (
                connection.channel()
            )  # amqp's own, which kombu's types don't know; closed by the server where there is no such queue
            try:
                found[name] = channel.queue_declare(settings.QUEUE_PREFIX + name, passive=True).message_count
                channel.close()
            except NotFound:
                found[name] = None
    return found
