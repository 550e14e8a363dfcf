"""Prometheus metrics of publishing: how far publication is behind the versions."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

from django.conf import settings
from django.db.models import Max
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily

from core.errors import NotFound
from publishing.models import Repository
from publishing.sources import source

MOST = 20
"""Of how many repositories the oldest unpublished version is looked up: a query each."""


def figures() -> Iterator[GaugeMetricFamily]:
    """Yield how many versions are not published yet, and the age of the oldest of them."""
    behind = _behind()
    versions = sum(latest - done for (_, _, done), latest in behind.items())
    yield GaugeMetricFamily("motherlode_publication_versions_behind", "Versions not published yet.", value=versions)
    made = [time for kind, name, done in list(behind)[:MOST] if (time := _time_of(kind, name, done + 1)) is not None]
    age = max(((timezone.now() - time).total_seconds() for time in made), default=0.0)
    words = "Age of the oldest version that is not published yet; 0 where there is none."
    yield GaugeMetricFamily("motherlode_publication_lag_seconds", words, value=max(0.0, age))


def _behind() -> dict[tuple[str, str, int], int]:
    """Map (kind, name, newest published version) to the newest version, of everything that is behind."""
    found: dict[tuple[str, str, int], int] = {}
    for kind in settings.PUBLICATION_SOURCES:
        rows = Repository.objects.filter(kind=kind).annotate(last=Max("publications__number"))
        done = {name: last or 0 for name, last in rows.values_list("name", "last")}
        latest = source(kind).latest_of_all()
        found |= {(kind, name, done.get(name, 0)): last for name, last in latest.items() if last > done.get(name, 0)}
    return found


def _time_of(kind: str, name: str, number: int) -> datetime | None:
    with suppress(NotFound):  # deleted meanwhile
        return source(kind).facts(name, number).time
    return None
