"""Messages to workers. They only wake: if the broker does not answer, the sender goes on, and a sweep does it later."""

import logging
from typing import Any

from amqp import Connection as AmqpConnection
from celery import Task
from kombu import Connection
from kombu.exceptions import OperationalError

from worker_programs.breaker import Breaker

logger = logging.getLogger(__name__)
OPTIONS: dict[str, Any] = {"expires": 60, "confirm_timeout": 2.0, "retry": False}
"""Seconds until a message expires, and those that RabbitMQ may take to confirm it. Sent once: a second try at a frozen
Redis takes as long again, and the sweep sends what was lost."""
breaker = Breaker(rest=5.0)


def send(task: "Task[..., Any]", *arguments: Any, queue: str = "") -> bool:
    """Send a message; returns whether the broker took it. Takes seconds once when the broker freezes, and no time while
    it is silent."""
    if breaker.lets_through():
        try:
            _send(task, arguments, **OPTIONS | ({"queue": queue} if queue else {}))
        except (OperationalError, OSError):
            breaker.silent()
        else:
            breaker.heard()
            return True
    logger.warning("the broker does not answer; %s%r waits for the sweep", task.name, arguments)
    return False


def _send(task: "Task[..., Any]", arguments: tuple[Any, ...], **options: Any) -> None:
    with task.app.producer_pool.acquire(block=True) as producer:
        try:
            task.apply_async(arguments, producer=producer, **options)
        except (OperationalError, OSError):
            _hang_up(producer.connection)
            raise


def _hang_up(connection: Connection | None) -> None:
    """Drop the connection to a RabbitMQ that does not answer: closing it properly would wait forever for its answer."""
    line = getattr(connection, "_connection", None)  # the property without the underscore would connect anew
    if isinstance(line, AmqpConnection):
        line.collect()
