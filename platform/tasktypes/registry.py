"""The task types by name: the folders here, and those of installed packages.

An entry point of the group `motherlode.tasktypes` names a module, or a class in it, that registers itself when it is
imported.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TypeVar

from core.errors import Unavailable
from tasktypes.protocol import TaskType
from worker_programs.config import ConfigError
from worker_programs.extensions import load_entry_points

GROUP = "motherlode.tasktypes"
DEFAULT = "classification"
"""Of what was made when there was no other, and of what says nothing."""
_registry: dict[str, type[TaskType]] = {}
T = TypeVar("T", bound="type[TaskType]")


def register(name: str) -> Callable[[T], T]:
    """Class decorator: the task type is found under `name`. ValueError for a name taken twice, and for a class that
    leaves something undefined or has no docstring."""

    def keep(cls: T) -> T:
        if name in _registry:
            raise ValueError(f"task type {name!r} is registered twice: {_registry[name].__module__}, {cls.__module__}")
        if missing := sorted(cls.__abstractmethods__):
            raise ValueError(f"task type {name!r}: {cls.__qualname__} must define {', '.join(missing)}")
        if not (cls.__doc__ or "").strip():
            raise ValueError(f"task type {name!r}: {cls.__qualname__} needs a docstring, its summary")
        cls.name = name
        _registry[name] = cls
        return cls

    return keep


@cache
def _loaded() -> tuple[str, ...]:
    """Imports them all, once; what could not be loaded, in words."""
    for module in iter_modules([str(Path(__file__).parent)]):
        if module.ispkg:
            import_module(f"tasktypes.{module.name}")
    return tuple(load_entry_points(GROUP, _registry, what="task type"))


def names() -> list[str]:
    """All registered names, sorted."""
    _loaded()
    return sorted(_registry)


def faults() -> list[str]:
    """One sentence for each installed package whose task types can't be used, naming its entry point and the fix."""
    return list(_loaded())


@cache
def task_type(name: str) -> TaskType:
    """The task type `name`. Raises ConfigError (`task`) for an unknown one."""
    if name not in names():
        there = f"unknown task type {name!r}; there are {', '.join(names())}"
        raise ConfigError({"task": [there, *faults()]})
    return _registry[name]()


def stored_task_type(name: str) -> TaskType:
    """The task type that a row names. Raises Unavailable (`task_type_missing`) where its package is here no more."""
    if name not in names():
        words = f"The task type {name!r} is not installed: install its package again and restart."
        raise Unavailable(" ".join([words, *faults()]), code="task_type_missing")
    return task_type(name)
