"""How far people agree with each other in a queue, and with the model: read in a few queries, counted in columns."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from accounts.models import User
from agreement.intervals import difference
from agreement.kappa import by_class, cohen, fleiss
from agreement.opinions import coded
from labeling.models import Answer, AnswerQuerySet, Queue
from labeling.quality.answer_table import AnswerTable, answers_of, same
from labeling.quality.consensus import DAWID_SKENE, MAJORITY, consensus

DIGITS = 4
MOST_CLASSES = 50  # larger error tables are not shown


def agreement(queue: Queue) -> dict[str, Any]:
    """Return the whole document on a queue's agreement."""
    answers = answers_of(queue)
    counts = Counter(answers.authors)
    names = dict(User.objects.filter(pk__in=counts).values_list("pk", "username"))
    people = [{"id": pk, "username": names[pk]} for pk in sorted(counts)]
    told = [person | {"answers": counts[pk]} for pk, person in zip(sorted(counts), people, strict=True)]
    pairs = _of_objects(answers) if answers.agreement.overlaps else _of_categories(answers, queue.dataset.classes)
    return pairs | {
        "kind": answers.agreement.kind,
        "people": told,
        "blind": blind(queue),
        "consensus": _consensus_document(queue, answers, people),
    }


def blind(queue: Queue) -> dict[str, Any]:
    """Return how often people agree with the model, on tasks that showed its suggestion and on tasks that hid it.

    Blind tasks are picked at random, so the difference is the effect of seeing the suggestion. Its interval is
    Newcombe's.
    """
    rows = Answer.objects.verdicts().filter(
        task__queue=queue, value__isnull=False, task__suggestion__isnull=False, task__gold=None
    )
    found = {True: [0, 0], False: [0, 0]}
    # Leave out answers to tasks whose suggestion was not hidden, but was not shown either.
    for hidden, yes in _with_the_model(queue, rows.exclude(shown_suggestion=False, task__blind=False)):
        found[hidden][0] += yes
        found[hidden][1] += 1
    (hits, of), (hidden_hits, hidden_of) = found[False], found[True]
    both = of and hidden_of
    return {
        "shown": {"answers": of, "agree_with_model": hits},
        "hidden": {"answers": hidden_of, "agree_with_model": hidden_hits},
        "difference": rounded(hits / of - hidden_hits / hidden_of) if both else None,
        "interval": [rounded(end) for end in difference(hits, of, hidden_hits, hidden_of)],
    }


def overall(answers: AnswerTable) -> float | None:
    """Return the overall agreement: Fleiss' kappa, or the mean IoU of objects that match."""
    if answers.agreement.overlaps:
        return answers.compared.mean_iou(slice(None))
    return fleiss(answers.opinions)


def rounded(value: float | None) -> float | None:
    """Round a share as documents show it."""
    return None if value is None else round(float(value), DIGITS)


def _with_the_model(queue: Queue, rows: AnswerQuerySet) -> Iterator[tuple[bool, bool]]:
    """Yield for each answer whether the suggestion was hidden, and whether the two agree. Answers whose suggestion has
    another form are left out."""
    asked = queue.dataset.task_type
    told: Iterable[tuple[bool, Any, Any]] = rows.values_list("task__blind", "value", "task__suggestion")
    labels = [(hidden, value, asked.labels.suggested(suggestion)) for hidden, value, suggestion in told]
    kept = [(hidden, (value, suggested)) for hidden, value, suggested in labels if suggested is not None]
    agree = same(asked.agreement, (pair for _, pair in kept))
    yield from zip((hidden for hidden, _ in kept), agree.tolist(), strict=True)


def _of_categories(answers: AnswerTable, classes: Sequence[str]) -> dict[str, Any]:
    opinions = answers.opinions
    people = opinions.people_names
    pairs = [
        {"a": people[one.a], "b": people[one.b], "both": one.both, "agree": one.agree}
        | {"kappa": rounded(one.kappa), "mean_iou": None}
        for one in cohen(opinions)
    ]
    told = {opinions.value_names[one.value]: one for one in by_class(opinions)}
    order = [*(name for name in classes if name in told), *(name for name in told if name not in set(classes))]
    named = [
        {"class": name, "answers": told[name].answers, "agreement": rounded(told[name].agreement)} for name in order
    ]
    return {"pairs": pairs, "fleiss": rounded(fleiss(opinions)), "by_class": named}


def _of_objects(answers: AnswerTable) -> dict[str, Any]:
    first, second = answers.pairs
    found = answers.compared
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for at, (one, other) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        authors = sorted((answers.authors[one], answers.authors[other]))
        groups[authors[0], authors[1]].append(at)
    pairs = [
        {"a": a, "b": b, "both": len(places), "agree": int(found.agree[places].sum())}
        | {"kappa": None, "mean_iou": rounded(found.mean_iou(places))}
        for (a, b), places in sorted(groups.items())
    ]
    drawn, compared = answers.counts(slice(None)), answers.counts(np.concatenate([first, second]))
    named = [
        {"class": name, "answers": count, "agreement": _share(2 * found.by_class[name], compared[name])}
        for name, count in sorted(drawn.items())
    ]
    return {"pairs": pairs, "fleiss": None, "by_class": named}


def _share(part: int, whole: int) -> float | None:
    return rounded(part / whole) if whole else None


def _consensus_document(queue: Queue, answers: AnswerTable, people: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return each person's accuracy: from the error tables if there are any, else how often others agree with the
    person."""
    model = consensus(queue, answers).model if answers.agreement.exclusive else None
    classes: list[str] = [] if answers.agreement.overlaps else list(answers.opinions.value_names)
    skills, tables = _by_others(answers), {}
    if model is not None:
        places = {pk: code for code, pk in enumerate(answers.opinions.people_names)}
        skills = {pk: float(model.accuracy[code]) for pk, code in places.items()}
        if len(classes) <= MOST_CLASSES:
            tables = {pk: model.errors[code].round(DIGITS).tolist() for pk, code in places.items()}
    rows = [
        dict(person) | {"accuracy": rounded(skills.get(person["id"])), "confusion": tables.get(person["id"])}
        for person in people
    ]
    return {"method": DAWID_SKENE if model else MAJORITY, "classes": classes, "people": rows}


def _by_others(answers: AnswerTable) -> dict[int, float]:
    """Map each person to the share of other people's answers to the same tasks that agree with theirs."""
    codes, people = coded(answers.authors)
    sides = codes[np.concatenate(answers.pairs)]
    told = np.bincount(sides, minlength=len(people))
    agreeing = np.bincount(sides, weights=np.tile(answers.compared.agree, 2), minlength=len(people))
    return {pk: float(yes / count) for pk, yes, count in zip(people, agreeing, told, strict=True) if count}
