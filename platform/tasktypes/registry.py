"""The task types by name: the folders here, and those of installed packages.

An entry point of the group `motherlode.tasktypes` names a module, or a class in it, that registers itself when it is
imported.
"""

from functools import cache

from core.errors import Unavailable
from tasktypes.protocol import TaskType
from worker_programs.extensions import Registry

DEFAULT = "classification"
"""The task type of rows made when there was no other, and of requests that name none."""
_registry: Registry[TaskType] = Registry(
    "task type", package="tasktypes", base=TaskType, field="task", group="motherlode.tasktypes", folders=True,
    summarised=True,
)  # fmt: skip
register, names, faults = _registry.register, _registry.names, _registry.faults


@cache
def task_type(name: str) -> TaskType:
    """Return the task type `name`. Raises ConfigError (`task`) for an unknown one."""
    return _registry.find(name)()


def stored_task_type(name: str) -> TaskType:
    """Return the task type that a row names. Raises Unavailable (`task_type_missing`) if its package is no longer
    installed."""
    if name not in names():
        words = f"The task type {name!r} is not installed: install its package again and restart."
        raise Unavailable(" ".join([words, *faults()]), code="task_type_missing")
    return task_type(name)
