"""What several people's answers come to."""

from collections import Counter, defaultdict
from collections.abc import Sequence

import orjson

from blobs.services import chunks
from catalog.changes import SampleChange
from catalog.models import Dataset, Label, Revision, Split
from labeling.models import Answer, Queue, Task


def labels_to_commit(queue: Queue) -> list[SampleChange]:
    """One labelled sample for each done task, in the order of the queue."""
    done = queue.tasks.filter(state=Task.State.DONE).order_by("position")
    found = []
    for tasks in chunks(done.values_list("pk", "sample_id", "sample__key").iterator()):
        answers = _answers([pk for pk, _, _ in tasks])
        pool = _in_pool(queue.dataset, [sample_id for _, sample_id, _ in tasks])
        for pk, sample_id, key in tasks:
            said = agreed(answers[pk])
            change = SampleChange(key, label=said.value, source=Label.Source.HUMAN, author_id=said.author_id)
            change.seconds = said.seconds
            change.split = Split.TRAIN if sample_id in pool else None
            found.append(change)
    return found


def agreed(answers: Sequence[Answer]) -> Answer:
    """The first of the answers that most people gave; with a tie, the one given first. Needs at least one."""
    votes = Counter(_canonical(answer) for answer in answers)
    return max(answers, key=lambda answer: (votes[_canonical(answer)], -answer.pk))


def _canonical(answer: Answer) -> bytes:
    return orjson.dumps(answer.value, option=orjson.OPT_SORT_KEYS)


def _answers(tasks: list[int]) -> dict[int, list[Answer]]:
    found: dict[int, list[Answer]] = defaultdict(list)
    for said in Answer.objects.verdicts().filter(task__in=tasks, value__isnull=False).order_by("pk"):
        found[said.task_id].append(said)
    return found


def _in_pool(dataset: Dataset, samples: list[int]) -> set[int]:
    head = dataset.versions.order_by("number").last()
    rows = head.revisions.filter(sample__in=samples, split=Split.POOL) if head else Revision.objects.none()
    return set(rows.values_list("sample_id", flat=True))
