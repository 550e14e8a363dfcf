"""Architectures of the user's own: installed packages with an entry point, and single files that a setting names.

An entry point of the group `motherlode.architectures` names a module, or a class in it. `MOTHERLODE_ARCHITECTURES`
holds paths of .py files, with the separator of PATH between them; the web, the workers and their programs read the same
environment, so they see the same names. Such a module registers its classes when it is imported, and like the
built-in ones imports torch only inside of `trunk`: the web imports it too.
"""

import hashlib
import importlib.util
import os
import threading
from collections.abc import Callable
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from worker_programs.config import ConfigError
from worker_programs.extensions import Registry

GROUP, SETTING = "motherlode.architectures", "MOTHERLODE_ARCHITECTURES"
_loaded: set[str] = set()
_lock = threading.RLock()


class ArchitecturesBrokenError(ConfigError):
    """An architecture of the user's own cannot be loaded; the message says which, why, and how to mend it."""

    code = "architectures_broken"


def load_extensions(registry: Registry[Any]) -> None:
    """Import extensions that are not imported yet; ArchitecturesBrokenError names the entry point or file that fails;
    none of its classes stay in the `registry`."""
    registry.names()  # registers the built-in names first
    with _lock:
        for point in entry_points(group=GROUP):
            source = f"entry point {point.name} = {point.value} of {point.dist.name if point.dist else 'a package'}"
            _once(source, point.load, registry, mend="Mend the package that brings it, or uninstall it")
        for path in filter(None, os.environ.get(SETTING, "").split(os.pathsep)):
            mend = f"Mend the file, or take it out of {SETTING} and restart"
            _once(f"{SETTING}: {path}", partial(_import_file, Path(path)), registry, mend=mend)


def _once(source: str, load: Callable[[], object], registry: Registry[Any], *, mend: str) -> None:
    if source in _loaded:
        return
    try:
        with registry.all_or_nothing():
            load()
    except Exception as fault:  # whatever a user's module raises is told with its place
        words = f"{source} cannot be loaded: {type(fault).__name__}: {fault}. {mend}."
        raise ArchitecturesBrokenError({"architecture": [words]}) from fault
    _loaded.add(source)


def _import_file(path: Path) -> None:
    digest = hashlib.sha256(str(path).encode()).hexdigest()[:8]  # two files may have the same name
    spec = importlib.util.spec_from_file_location(f"{path.stem}_{digest}", path)
    if spec is None or spec.loader is None:
        raise ImportError("it is not a .py file")
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
