"""Extensions of installed packages: an entry point of a group names a module, or a class in it, that registers what it
brings when it is imported.

One that cannot be loaded takes none of the others with it: nothing of it is there, and what is told of it says which
entry point failed, why, and how to mend it.
"""

from collections.abc import Iterator, MutableMapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any


def load_entry_points(group: str, registry: MutableMapping[str, Any], *, what: str) -> Iterator[str]:
    """Import all of a group in the order of their names; a sentence for each that fails, which leaves nothing behind.

    `what` names one thing that is registered, for people.
    """
    for point in sorted(entry_points(group=group), key=lambda point: (point.name, point.value)):
        before = set(registry)
        try:
            _load(point, registry, what)
        except Exception as fault:  # noqa: BLE001 - whatever a stranger's module raises must not break the others
            for name in set(registry) - before:
                del registry[name]
            package = f"{point.dist.name} {point.dist.version}" if point.dist else "a package"
            yield (
                f"entry point {point.name} = {point.value} of {package} cannot be loaded: "
                f"{type(fault).__name__}: {fault}; mend the package or uninstall it, then restart"
            )


def _load(point: EntryPoint, registry: MutableMapping[str, Any], what: str) -> None:
    found = point.load()
    module = getattr(found, "__name__", "")
    if not any(cls is found or f"{cls.__module__}.".startswith(f"{module}.") for cls in registry.values()):
        raise LookupError(f"it registers no {what}; put @register(name) over the class")
