"""Answers given question by question: "is this right?" for each suggested object, then "is one missing?". What people
did is kept beside the label, which is an ordinary label of the whole image."""

from collections.abc import Mapping
from typing import Any

from core.errors import Invalid
from labeling.models import Answer
from tasktypes.label_parts import KEPT
from worker_programs.wording import plural


def note_verification(given: Answer, told: Mapping[str, Any] | None) -> Answer:
    """Record the outcome of each suggested object, derived from the label, and the seconds of each question.

    `told`: `{objects: [{at, seconds}], missing: {found, seconds}, drawing_seconds}` with an entry for each suggested
    object, where `at` is its place in the label. Kept: `{objects: [{class, outcome, seconds}], missing: {found,
    seconds}, drawn: {counts, seconds}}`. None records nothing. Raises Invalid (`verification..`) if it does not fit the
    label: an image is verified whole or not at all.
    """
    if told is None or given.value is None:
        return given
    task = given.task
    labels = task.queue.dataset.task_type.labels
    suggested = labels.suggested(task.shown_suggestion) if task.shown_suggestion is not None else None
    asked, missing = told["objects"], told["missing"]
    found, drawn = labels.verified(suggested, given.value, [one["at"] for one in asked])
    if drawn and not missing["found"]:
        words = f"says that nothing is missing, but the label has {plural(sum(drawn.values()), 'object')} not suggested"
        raise Invalid.field("verification.missing", words)
    given.verification = {
        "objects": [
            {"class": one.class_name, "outcome": one.outcome, "seconds": entry["seconds"]}
            for one, entry in zip(found, asked, strict=True)
        ],
        "missing": {"found": missing["found"], "seconds": missing["seconds"]},
        "drawn": {"counts": drawn, "seconds": told["drawing_seconds"]},
    }
    given.shown_suggestion = task.shown_suggestion is not None
    given.changed = bool(drawn) or any(one.outcome != KEPT for one in found)
    return given
