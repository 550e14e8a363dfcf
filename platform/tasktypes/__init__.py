"""Task types, the kinds of labels that an image can have: each is one folder, found by name.

Importing this package, labels and agreement imports no torch; the learning part is loaded at its first use.

>>> from tasktypes import task_type
>>> task_type("multilabel").labels.check({"classes": ["dog", "cat"]}, classes=["cat", "dog"], size=None)
{'classes': ['cat', 'dog']}
"""

from tasktypes.label_parts import Agreement, Labels
from tasktypes.protocol import StepMissing, TaskType
from tasktypes.registry import DEFAULT, faults, names, register, stored_task_type, task_type

__all__ = [
    "DEFAULT",
    "Agreement",
    "Labels",
    "StepMissing",
    "TaskType",
    "faults",
    "names",
    "register",
    "stored_task_type",
    "task_type",
]
