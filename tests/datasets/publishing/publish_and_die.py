"""A worker that publishes and is killed (kill -9) at the point its second argument names. Run by a test."""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import django

django.setup()

from publishing import services, writing  # noqa: E402 - Django comes first
from publishing.models import Publication, Repository  # noqa: E402 - as above


def die(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dying_after(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any, **kwargs: Any) -> None:
        function(*args, **kwargs)
        die()

    return run


POINTS: dict[str, dict[str, Any]] = {
    "before the texts": {"keep_bytes": die},
    "before the object": {"keep": die},
    "after the object": {"keep": dying_after(vars(writing)["keep"])},
    "after the row": {},
}
repository, point = Repository.objects.get(), sys.argv[1]
if point == "inside the transaction":
    Publication.save = dying_after(Publication.save)  # type: ignore[method-assign]  # killed on purpose
else:
    vars(writing).update(POINTS[point])
services.publish(repository, services.published(repository) + 1)
die()
