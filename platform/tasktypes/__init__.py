"""What may be asked of an image: a task type is one folder, found by name.

Importing this package, labels and agreement imports no torch; what learns is loaded when it is first asked for.

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
