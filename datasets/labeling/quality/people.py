"""People's work: how much, how fast, how accurate."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from statistics import median
from typing import Any

from django.db.models import Count, F, Q
from django.db.models.functions import Now

from accounts.models import User
from agreement.intervals import wilson
from labeling.models import Answer, AnswerQuerySet, Gold, Queue, Review
from labeling.quality.answer_table import AnswerTable, Value, same, tables_of
from labeling.quality.figures import rounded

HOUR = 3600


@dataclass(slots=True)
class Work:
    """One person's answers: the seconds of each, which of them others agree with, and which were right.

    Accuracy is measured on gold, and on decisions about tasks that were picked for review at random: tasks reviewed
    because people disagree would make even the best people look bad.
    """

    seconds: list[float] = field(default_factory=list)
    skipped: int = 0
    agreeing: list[bool] = field(default_factory=list)
    gold: list[bool] = field(default_factory=list)
    drawn: list[bool] = field(default_factory=list)

    def document(self, user: Mapping[str, Any]) -> dict[str, Any]:
        """As the API shows it."""
        judged = self.gold + self.drawn
        spent = sum(self.seconds)
        return {
            "user": dict(user),
            "answers": len(self.seconds),
            "skipped": self.skipped,
            "labels_per_hour": round(len(self.seconds) * HOUR / spent, 1) if spent else None,
            "median_seconds": round(median(self.seconds), 2) if self.seconds else None,
            "agreement": rounded(sum(self.agreeing) / len(self.agreeing)) if self.agreeing else None,
            "gold": {"answers": len(self.gold), "correct": sum(self.gold)},
            "accuracy": rounded(sum(judged) / len(judged)) if judged else None,
            "interval": [rounded(end) for end in wilson(sum(judged), len(judged))],
        }


def people(
    *, queue: Queue | None, days: int | None, only: User | None = None, among: frozenset[int] | None = None
) -> list[dict[str, Any]]:
    """Return a row for each person who answered or skipped something, sorted by name; with `only`, just that person's,
    even if they did nothing. With `among`, only work in these projects counts.

    Nobody learns at once whether their own answers agree with gold: with `only`, gold counts once the queue has all its
    answers.
    """
    rows = Answer.objects.verdicts()
    if queue is not None:
        rows = rows.filter(task__queue=queue)
    if among is not None:
        rows = rows.filter(task__queue__dataset__project__in=among)
    if days is not None:
        rows = rows.filter(created__gt=Now() - timedelta(days=days))
    if only is not None:  # keeps others' answers to the same tasks, to measure agreement
        rows = rows.filter(task__in=rows.filter(author=only).order_by().values("task"))
    work = work_of(rows, open_gold=only is None)
    shown = work if only is None else {only.pk: work.get(only.pk, Work())}
    names = dict(User.objects.filter(pk__in=shown).values_list("pk", "username"))
    found = [shown[pk].document({"id": pk, "username": name}) for pk, name in names.items()]
    return sorted(found, key=lambda row: str(row["user"]["username"]))


def work_of(rows: AnswerQuerySet, *, open_gold: bool = True) -> dict[int, Work]:
    """Return each person's work over these answers and skips, by person; without `open_gold`, gold in queues that still
    wait for answers does not count."""
    work = defaultdict[int, Work](Work)
    skips = rows.filter(value__isnull=True).order_by().values_list("author").annotate(n=Count("pk"))
    for author, count in skips:
        work[author].skipped = count
    tasks = rows.order_by().values("task")
    judging = Q() if open_gold else Q(queue__total__lte=F("queue__done") + F("queue__skipped"))
    gold = dict(Gold.objects.filter(judging, task__in=tasks).values_list("task", "value"))
    by_lot = Review.objects.filter(reason=Review.Reason.RANDOM, state=Review.State.DONE, task__in=tasks)
    drawn: dict[int, Any] = dict(by_lot.values_list("task", "decision"))
    for answers in tables_of(rows):
        for author, seconds in zip(answers.authors, answers.seconds, strict=True):
            work[author].seconds.append(seconds)
        for author, yes in _compared(answers):
            work[author].agreeing.append(yes)
        for author, yes in _judged(answers, gold):
            work[author].gold.append(yes)
        for author, yes in _judged(answers, drawn):
            work[author].drawn.append(yes)
    return dict(work)


def _compared(answers: AnswerTable) -> Iterator[tuple[int, bool]]:
    """Yield (person, whether they agree) for both authors of every two answers to the same task."""
    first, second = (side.tolist() for side in answers.pairs)
    for one, other, yes in zip(first, second, answers.compared.agree.tolist(), strict=True):
        yield answers.authors[one], yes
        yield answers.authors[other], yes


def _judged(answers: AnswerTable, truth: Mapping[int, Value]) -> Iterator[tuple[int, bool]]:
    """Yield (person, whether they were right) for each answer to a task whose true label is known."""
    places = [at for at, task in enumerate(answers.tasks) if task in truth]
    right = same(answers.agreement, ((answers.values[at], truth[answers.tasks[at]]) for at in places))
    yield from zip((answers.authors[at] for at in places), right.tolist(), strict=True)
