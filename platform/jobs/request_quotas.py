"""How many requests a minute a project may make: counted in Redis, so that all web processes count together.

The first request begins a minute, in which as many are answered as the quota says. A project without a quota costs
nothing: each process reads the quotas now and then. No request is refused while Redis does not answer.
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import redis
from django.conf import settings

from core.errors import Conflict, TooManyRequests
from jobs.models import Quota

logger = logging.getLogger(__name__)
MINUTE = 60
HEARD_FOR = 10.0
"""Seconds until a process reads the quotas again."""
PATIENCE_SECONDS = 0.25
PAUSE_SECONDS = 5.0
"""Seconds until a Redis that did not answer is asked again."""


@dataclass(slots=True)
class Known:
    """What a process knows: requests a minute by project, until when that is valid, and until when Redis is not
    asked."""

    limits: dict[int, int] = field(default_factory=dict)
    until: float = 0.0
    silent_until: float = 0.0

    def renew(self) -> None:
        """Read the quotas again if they are out of date."""
        now = time.monotonic()
        if now >= self.until:
            rows = Quota.objects.filter(requests__isnull=False).values_list("project_id", "requests")
            self.limits, self.until = {project: most for project, most in rows if most is not None}, now + HEARD_FOR


known = Known()


def count(project: int) -> None:
    """Count a request about something in a project. Raises TooManyRequests if it exceeds the quota."""
    if not settings.COUNTERS_URL:
        return
    known.renew()
    most = known.limits.get(project)
    if most is None or time.monotonic() < known.silent_until:
        return
    try:
        number, left = _count(project)
    except redis.RedisError as error:
        known.silent_until = time.monotonic() + PAUSE_SECONDS
        logger.warning("requests are not counted, as Redis does not answer: %s", error)
        return
    if number > most:
        words = f"The project may make {most:,} requests a minute, and these are used up: go on in {left} s, or ask an "
        raise TooManyRequests(f"{words}owner of the platform for more.", wait=left)


def counts(projects: Sequence[int]) -> dict[int, int]:
    """Map projects to their requests of the current minute; empty if Redis does not answer."""
    if not settings.COUNTERS_URL or not projects:
        return {}
    try:
        found = _client(settings.COUNTERS_URL).mget([_key(project) for project in projects])
    except redis.RedisError as error:
        logger.warning("Redis does not say how many requests were counted: %s", error)
        return {}
    return {project: int(told or 0) for project, told in zip(projects, found, strict=True)}


def check_countable() -> None:
    """Raise Conflict (`requests_uncounted`) if the platform has no Redis to count in."""
    if not settings.COUNTERS_URL:
        words = "Requests are counted in Redis, and this platform names none: set MOTHERLODE_COUNTERS_URL."
        raise Conflict(words, code="requests_uncounted")


def forget() -> None:
    """Make this process read the quotas again."""
    known.until = 0.0


def _count(project: int) -> tuple[int, int]:
    """Count a request; returns its number in the current minute, and the seconds left of that. One round trip."""
    pipe = _client(settings.COUNTERS_URL).pipeline(transaction=True)
    pipe.set(_key(project), 0, ex=MINUTE, nx=True)
    pipe.incr(_key(project))
    pipe.ttl(_key(project))
    _, number, left = pipe.execute()
    if left < 0:  # it ended between the first command and the second
        _client(settings.COUNTERS_URL).expire(_key(project), MINUTE)
    return number, max(1, left)


def _key(project: int) -> str:
    return f"{settings.QUEUE_PREFIX}requests:{project}"


@cache
def _client(url: str) -> "redis.Redis":
    return redis.Redis.from_url(url, socket_timeout=PATIENCE_SECONDS, socket_connect_timeout=PATIENCE_SECONDS)
