"""How fast all people together answer a queue, and how long the rest will take at that pace."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, F
from django.db.models.functions import TruncDay
from django.utils import timezone

from accounts.models import User
from labeling.models import Answer, Queue, Task

DAYS = 7
LOOK_BACK = timedelta(days=30)
FEWEST_ANSWERS = 5
SHORTEST = timedelta(hours=1)
"""A pace is shown from FEWEST_ANSWERS answers on, computed over at least SHORTEST."""
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Pace:
    """The number of `answers` and skips on the last `days` days (UTC) that had any. `hours` are all hours of these
    days, nights included, from the queue's creation until now."""

    answers: int = 0
    days: int = 0
    hours: float = 0.0

    @property
    def per_hour(self) -> float | None:
        """Answers per hour; None while there are too few to estimate it."""
        return self.answers / self.hours if self.answers >= FEWEST_ANSWERS else None

    def hours_left(self, answers: int) -> float | None:
        """Estimate the hours, nights included, until `answers` more are given, if coming days are like these."""
        if not answers:
            return 0.0
        return answers / self.per_hour if self.per_hour else None


def paces_of(queues: Sequence[Queue]) -> dict[int, Pace]:
    """Return each queue's pace by queue id, over at most seven days of the last thirty. Filters by all users, because
    the index of answers begins with the author."""
    now = timezone.now()
    lately = Answer.objects.verdicts().filter(author__in=User.objects.values("pk"), created__gt=now - LOOK_BACK)
    rows = lately.filter(task__queue__in=queues).order_by().values_list("task__queue", TruncDay("created"))
    by_day: defaultdict[int, list[tuple[datetime, int]]] = defaultdict(list)
    for queue, day, count in rows.annotate(n=Count("pk")):
        by_day[queue].append((day, count))
    return {queue.pk: _pace(by_day[queue.pk], queue.created, now) for queue in queues}


def answers_left(queues: Sequence[Queue]) -> dict[int, int]:
    """Count the answers or skips that each queue still needs, by queue id."""
    found = {queue.pk: queue.answers_per_task * (queue.total - queue.done - queue.skipped) for queue in queues}
    several = [queue.pk for queue in queues if queue.answers_per_task > 1]
    open_ones = Task.objects.filter(queue__in=several, state__in=[Task.State.TODO, Task.State.LEASED])
    given = Answer.objects.verdicts().filter(task__in=open_ones).order_by().values_list(F("task__queue"))
    for queue, count in given.annotate(n=Count("pk")):
        found[queue] -= count
    return found


def _pace(by_day: Sequence[tuple[datetime, int]], begun: datetime, now: datetime) -> Pace:
    last = sorted(by_day)[-DAYS:]
    span = sum((min(day + DAY, now) - max(day, begun) for day, _ in last), timedelta())
    return Pace(sum(count for _, count in last), len(last), max(span, SHORTEST) / HOUR) if last else Pace()
