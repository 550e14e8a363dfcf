"""Models of labelling: queues, tasks, answers, flags, comments, reviews and gold."""

from labeling.models.comments import MOST_TEXT, Comment
from labeling.models.quality import Gold, Review
from labeling.models.queues import (
    BLINDED_FIELDS,
    SKIP_REASONS,
    Answer,
    AnswerQuerySet,
    Flag,
    Queue,
    Task,
    TaskQuerySet,
    skip_reasons,
    waiting,
)

__all__ = [
    "BLINDED_FIELDS",
    "MOST_TEXT",
    "SKIP_REASONS",
    "Answer",
    "AnswerQuerySet",
    "Comment",
    "Flag",
    "Gold",
    "Queue",
    "Review",
    "Task",
    "TaskQuerySet",
    "skip_reasons",
    "waiting",
]
