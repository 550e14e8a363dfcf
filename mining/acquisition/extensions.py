"""Strategies of installed packages: an entry point of the group `motherlode.strategies` names a module, or a class in
it, that registers them when it is imported.

One that cannot be loaded takes none of the others with it: none of its strategies is there, and `registry.faults` and
the error for an unknown strategy say which entry point failed, why, and how to mend it.
"""

from collections.abc import Iterator, MutableMapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

GROUP = "motherlode.strategies"


def load_extensions(registry: MutableMapping[str, Any]) -> Iterator[str]:
    """Import all of them in the order of their names; a sentence for each that fails, which leaves nothing behind."""
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        before = set(registry)
        try:
            _load(point, registry)
        except Exception as fault:  # noqa: BLE001 - whatever a stranger's module raises must not break the others
            for name in set(registry) - before:
                del registry[name]
            package = f"{point.dist.name} {point.dist.version}" if point.dist else "a package"
            yield (
                f"entry point {point.name} = {point.value} of {package} cannot be loaded: "
                f"{type(fault).__name__}: {fault}; mend the package or uninstall it, then restart"
            )


def _load(point: EntryPoint, registry: MutableMapping[str, Any]) -> None:
    found = point.load()
    module = getattr(found, "__name__", "")
    if not any(cls is found or f"{cls.__module__}.".startswith(f"{module}.") for cls in registry.values()):
        raise LookupError("it registers no strategy; put @register(name) over the class")
