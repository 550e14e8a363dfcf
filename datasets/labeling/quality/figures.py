"""How far people agree in a queue, and with the model: read in a few queries, counted in columns."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from accounts.models import User
from agreement.intervals import difference
from agreement.kappa import by_class, cohen, fleiss
from agreement.shapes import Columns, match, shapes_of
from labeling.models import Answer, Queue
from labeling.quality.consensus import Consensus, consensus
from labeling.quality.given import Given, given, same, two_by_two

DIGITS = 4
MOST_CLASSES = 50  # of an error table that is shown


def agreement(queue: Queue) -> dict[str, Any]:
    """The whole document of a queue's agreement."""
    said = given(queue)
    counts = Counter(said.authors)
    names = dict(User.objects.filter(pk__in=counts).values_list("pk", "username"))
    people = [{"id": pk, "username": names[pk]} for pk in sorted(counts)]
    pairs = _of_shapes(said) if said.are_shapes else _of_classes(said, queue.dataset.classes)
    return pairs | {
        "kind": "boxes" if said.are_shapes else "class",
        "people": [person | {"answers": counts[person["id"]]} for person in people],
        "blind": blind(queue),
        "consensus": _consensus_document(consensus(queue, said), said, people),
    }


def blind(queue: Queue) -> dict[str, Any]:
    """How often people say what the model says, where they saw it and where it was hidden from them.

    Which tasks hide it is drawn by lot, so the difference is what seeing it does. Its interval is Newcombe's.
    """
    rows = Answer.objects.verdicts().filter(
        task__queue=queue, value__isnull=False, task__suggestion__isnull=False, task__gold=None
    )
    rows = rows.exclude(shown_suggestion=False, task__blind=False)  # neither hidden nor looked at
    found = {True: [0, 0], False: [0, 0]}
    told = [row for row in rows.values_list("task__blind", "value", "task__suggestion") if _comparable(row)]
    agree = same((value, suggestion) for _, value, suggestion in told)
    for (hidden, _, _), yes in zip(told, agree.tolist(), strict=True):
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


def overall(said: Given) -> float | None:
    """One figure for all: Fleiss' kappa, or the mean IoU of boxes that match."""
    if not said.are_shapes:
        return fleiss(said.opinions)
    first, second = two_by_two(said)
    return match(Columns.of([shapes_of(value) for value in said.values]), first, second).mean_iou(slice(None))


def rounded(value: float | None) -> float | None:
    """As documents show shares."""
    return None if value is None else round(float(value), DIGITS)


def _comparable(row: Sequence[Any]) -> bool:
    """The suggestion is of the label's own form."""
    _, value, suggestion = row
    return any(name in value and name in suggestion for name in ("class", "classes", "boxes"))


def _of_classes(said: Given, classes: Sequence[str]) -> dict[str, Any]:
    opinions = said.opinions
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


def _of_shapes(said: Given) -> dict[str, Any]:
    first, second = two_by_two(said)
    shapes = [shapes_of(value) for value in said.values]
    found = match(Columns.of(shapes), first, second)
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for at, (one, other) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        groups[min(said.authors[one], said.authors[other]), max(said.authors[one], said.authors[other])].append(at)
    pairs = [
        {"a": a, "b": b, "both": len(places), "agree": int(found.agree[places].sum())}
        | {"kappa": None, "mean_iou": rounded(found.mean_iou(places))}
        for (a, b), places in sorted(groups.items())
    ]
    compared = Counter(shape.name for at in np.concatenate([first, second]).tolist() for shape in shapes[at])
    drawn = Counter(shape.name for told in shapes for shape in told)
    named = [
        {"class": name, "answers": count, "agreement": _share(2 * found.by_class[name], compared[name])}
        for name, count in sorted(drawn.items())
    ]
    return {"pairs": pairs, "fleiss": None, "by_class": named}


def _share(part: int, whole: int) -> float | None:
    return rounded(part / whole) if whole else None


def _consensus_document(found: Consensus, said: Given, people: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """With error tables the accuracy they expect of a person, else how often a person says what most say."""
    classes: list[str] = [] if said.are_shapes else list(said.opinions.value_names)
    skills, tables = _by_majority(found, said), {}
    if found.model is not None:
        places = {pk: code for code, pk in enumerate(said.opinions.people_names)}
        skills = {pk: float(found.model.accuracy[code]) for pk, code in places.items()}
        if len(classes) <= MOST_CLASSES:
            tables = {pk: found.model.errors[code].round(DIGITS).tolist() for pk, code in places.items()}
    rows = [
        dict(person) | {"accuracy": rounded(skills.get(person["id"])), "confusion": tables.get(person["id"])}
        for person in people
    ]
    return {"method": found.method, "classes": classes, "people": rows}


def _by_majority(found: Consensus, said: Given) -> dict[int, float]:
    """Over the tasks that somebody else answered too."""
    places = [at for all_of_it in said.by_task.values() if len(all_of_it) > 1 for at in all_of_it]
    alike = same((said.values[at], found.outcomes[said.tasks[at]].value) for at in places)
    right: dict[int, list[bool]] = defaultdict(list)
    for at, yes in zip(places, alike.tolist(), strict=True):
        right[said.authors[at]].append(yes)
    return {author: sum(told) / len(told) for author, told in right.items()}
