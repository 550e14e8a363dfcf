"""A queue's tasks and all their answers and skips, as JSON lines."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from accounts.models import User
from labeling.blinding import blinded_key
from labeling.models import Answer, Queue
from labeling.reviewing.flags import can_review

BATCH = 2000
ANSWER_FIELDS = ("value", "reason", "seconds", "shown_suggestion", "changed", "verification", "opinion", "created")


def exported(queue: Queue, user: User, *, state: Sequence[str] | None = None) -> Iterator[bytes]:
    """Yield tasks as lines of `{task, key, position, state, answers: [{author, value, ..}]}`; memory holds one batch of
    them. An annotator gets only their own answers, because people answer independently."""
    return _exported(queue, user, all_told=can_review(user, queue), state=state)


def _exported(queue: Queue, user: User, *, all_told: bool, state: Sequence[str] | None) -> Iterator[bytes]:
    rows = queue.tasks.order_by("position")
    if state is not None:
        rows = rows.filter(state__in=state)
    after = -1
    while batch := list(rows.filter(position__gt=after).values_list("pk", "sample__key", "position", "state")[:BATCH]):
        after = batch[-1][2]
        answers = _answers([pk for pk, *_ in batch], None if all_told else user)
        yield b"".join(
            orjson.dumps(
                {
                    "task": pk,
                    "key": key if all_told else blinded_key(key, queue),
                    "position": position,
                    "state": stands,
                    "answers": answers.get(pk, []),
                },
                option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z,
            )
            for pk, key, position, stands in batch
        )


def _answers(tasks: Sequence[int], author: User | None) -> dict[int, list[dict[str, Any]]]:
    rows = Answer.objects.filter(task__in=tasks, withdrawn=False).order_by("pk")
    if author is not None:
        rows = rows.filter(author=author)
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for task, username, *values in rows.values_list("task", "author__username", *ANSWER_FIELDS):
        found[task].append({"author": username, **dict(zip(ANSWER_FIELDS, values, strict=True))})
    return found
