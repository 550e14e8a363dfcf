"""Messages to workers. They only wake: who sends one goes on when the broker is silent, and a sweep does it later."""

import logging
from typing import Any

from celery import Task
from kombu.exceptions import OperationalError

from programs.breaker import Breaker

logger = logging.getLogger(__name__)
OPTIONS: dict[str, Any] = {"expires": 60, "confirm_timeout": 2.0, "retry": False}
"""Seconds: how long a message is worth reading, and how long RabbitMQ may take to say that it has it. Sent once: a
second try at a frozen Redis takes as long again, and the sweep sends what was lost."""
breaker = Breaker(rest=5.0)


def send(task: "Task[..., Any]", *arguments: Any, queue: str = "") -> bool:
    """Whether a worker will hear of it. Takes seconds once when the broker freezes, and no time while it is silent."""
    if breaker.lets_through():
        try:
            task.apply_async(arguments, **OPTIONS | ({"queue": queue} if queue else {}))
        except (OperationalError, OSError):
            breaker.silent()
        else:
            breaker.heard()
            return True
    logger.warning("the broker does not answer; %s%r waits for the sweep", task.name, arguments)
    return False
