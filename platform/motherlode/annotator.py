"""A stand-in annotator: answers a queue from recorded truth, through the calls that a person's page makes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from motherlode.client import Motherlode
from motherlode.errors import MotherlodeError

if TYPE_CHECKING:
    from motherlode.documents import LabelingTask, LabelValue


AT_ONCE = 10
SHORTEST_WAIT, LONGEST_WAIT = 0.5, 5.0


@dataclass(slots=True)
class Tally:
    """Counts of the outcomes of the tasks taken. An opinion is an answer sent after its lease had expired."""

    answered: int = 0
    skipped: int = 0
    opinions: int = 0


def read_truth(path: Path) -> dict[str, LabelValue]:
    """Read labels by sample key from JSON lines `{"key": .., "label": {..}}`. Raises MotherlodeError naming a line that
    can't be read, or if the file holds no label: every task of a queue would be skipped."""
    truth: dict[str, LabelValue] = {}
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
                truth[row["key"]] = row["label"]
            except (ValueError, KeyError, TypeError) as error:
                detail = f'{path} line {number}: needs {{"key": .., "label": {{..}}}} ({error})'
                raise MotherlodeError(status=0, code="truth_unreadable", detail=detail) from error
    if not truth:
        raise MotherlodeError(
            status=0, code="truth_unreadable", detail=f"{path} holds no label: every task would be skipped"
        )
    return truth


def annotate(
    client: Motherlode,
    queue: str | int,
    *,
    truth: Mapping[str, LabelValue],
    on_answer: Callable[[Tally], None] | None = None,
    on_wait: Callable[[int, float], None] | None = None,
) -> Tally:
    """Answer tasks until the queue has none left; skip samples without recorded truth. `on_wait` is told how many tasks
    others hold, and the seconds until the first of them is free, when there is nothing else to answer.

    Raises MotherlodeError if no sample had recorded truth: it belongs to another queue, or its keys are written
    differently.
    """
    tally, asked = Tally(), ""
    while True:
        taken = time.monotonic()
        handout = client.queues.next(queue, count=AT_ONCE)
        if not handout.tasks and not handout.leased:
            _refuse_strange(queue, truth, tally, asked)
            return tally
        if not handout.tasks:  # other annotators hold the rest: their leases may expire
            if on_wait is not None:
                on_wait(handout.leased, handout.next_frees)
            time.sleep(min(max(handout.next_frees, SHORTEST_WAIT), LONGEST_WAIT))
        for task in handout.tasks:
            seconds, taken = time.monotonic() - taken, time.monotonic()
            asked = task["sample"]["key"]
            _settle(client, task, value=truth.get(asked), seconds=seconds, tally=tally)
            if on_answer is not None:
                on_answer(tally)


def _refuse_strange(queue: str | int, truth: Mapping[str, LabelValue], tally: Tally, asked: str) -> None:
    if not tally.skipped or tally.answered or tally.opinions:
        return
    detail = f"the truth has no key of the queue: all {tally.skipped:,} tasks were skipped"
    if truth:
        detail += f", such as {asked!r}, and the truth has keys such as {next(iter(truth))!r}"
    raise MotherlodeError(
        status=0, code="truth_unfit", detail=f"{detail}. `lode queue requeue {queue}` brings the tasks back"
    )


def _settle(client: Motherlode, task: LabelingTask, *, value: LabelValue | None, seconds: float, tally: Tally) -> None:
    if value is None:
        client.queues.skip(task, reason="no recorded truth")
        tally.skipped += 1
        return
    try:
        # The recorded truth is older than the suggestion, which therefore did not influence this answer.
        client.queues.answer(task, value, seconds=seconds, shown_suggestion=False)
        tally.answered += 1
    except MotherlodeError as error:
        if error.code != "lease_lost":
            raise
        tally.opinions += 1
