"""Extensions: classes that are found by name, in the modules of a package here and in installed packages.

An entry point of a registry's group names a module, or a class in it, that registers what it brings when it is
imported. One that cannot be loaded doesn't affect the others: nothing of it stays registered, and its fault says which
entry point failed, why, and how to fix it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from typing import Any, Generic, TypeVar

from worker_programs.config import ConfigError

T = TypeVar("T")
C = TypeVar("C", bound=type[Any])


class Registry(Generic[T]):
    """Classes by name, each registered by its module; the modules are imported at the first lookup.

    `what` is the word for a registered class in messages; `field` is the config field that names one, if that differs;
    `package` holds the modules (with `folders`, only its subpackages); `group` is the group of entry points. `base` is
    the required base class, if any; classes of a `summarised` registry need a docstring, their summary.
    """

    def __init__(
        self, what: str, *, package: str, base: type[Any] | None = None, field: str = "", group: str = "",
        folders: bool = False, summarised: bool = False,
    ) -> None:  # fmt: skip
        self.what, self.group = what, group
        self.classes: dict[str, type[T]] = {}
        self._base, self._field, self._package, self._folders = base, field or what, package, folders
        self._summarised = summarised
        self._faults: list[str] | None = None

    def register(self, name: str) -> Callable[[C], C]:
        """Class decorator: register the class under `name`, and set its `name`. Raises ValueError for a name taken
        twice, and for a class that does not derive from the base, leaves something undefined or has no summary."""

        def keep(cls: C) -> C:
            if name in self.classes:
                both = f"{self.classes[name].__module__}, {cls.__module__}"
                raise ValueError(f"{self.what} {name!r} is registered twice: {both}")
            if reason := self._lacks(cls):
                raise ValueError(f"{self.what} {name!r}: {cls.__qualname__} {reason}")
            cls.name = name
            self.classes[name] = cls
            return cls

        return keep

    def names(self) -> list[str]:
        """Return all registered names, sorted."""
        self.faults()
        return sorted(self.classes)

    def faults(self) -> list[str]:
        """Load the modules, and return one sentence for each entry point that can't be used, naming it and the fix."""
        if self._faults is None:
            for module in iter_modules(import_module(self._package).__path__):
                if module.ispkg or not self._folders:
                    import_module(f"{self._package}.{module.name}")
            self._faults = list(self._load_entry_points()) if self.group else []
        return list(self._faults)

    def find(self, name: str) -> type[T]:
        """Return the class `name`. Raises ConfigError with the field, the known names and the faults."""
        faults = self.faults()  # loads them
        if name not in self.classes:
            there = f"unknown {self.what} {name!r}; there are {', '.join(self.names())}"
            raise ConfigError({self._field: [there, *faults]})
        return self.classes[name]

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Context that undoes the registrations made inside it when an exception leaves it."""
        before = set(self.classes)
        try:
            yield
        except Exception:
            for name in set(self.classes) - before:
                del self.classes[name]
            raise

    def _lacks(self, cls: type[Any]) -> str:
        """Return why a class can't be registered; empty if it can."""
        if self._base is not None and not issubclass(cls, self._base):
            return f"must derive from {self._base.__name__}"
        if missing := sorted(getattr(cls, "__abstractmethods__", ())):
            return f"must define {', '.join(missing)}"
        undescribed = self._summarised and not (cls.__doc__ or "").strip()
        return "needs a docstring, its summary" if undescribed else ""

    def _load_entry_points(self) -> Iterator[str]:
        """Import all entry points of the group in the order of their names; yield a sentence for each that fails."""
        for point in sorted(entry_points(group=self.group), key=lambda point: (point.name, point.value)):
            try:
                with self.all_or_nothing():
                    self._load(point)
            except Exception as fault:  # noqa: BLE001 - whatever a stranger's module raises must not break the others
                package = f"{point.dist.name} {point.dist.version}" if point.dist else "a package"
                yield (
                    f"entry point {point.name} = {point.value} of {package} cannot be loaded: "
                    f"{type(fault).__name__}: {fault}; mend the package or uninstall it, then restart"
                )

    def _load(self, point: EntryPoint) -> None:
        found = point.load()
        module = getattr(found, "__name__", "")
        if not any(cls is found or f"{cls.__module__}.".startswith(f"{module}.") for cls in self.classes.values()):
            raise LookupError(f"it registers no {self.what}; put @register(name) over the class")
