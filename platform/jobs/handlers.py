"""Handlers do the work of a kind of job: one class per kind, named in the setting JOB_HANDLERS."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from jobs.context import ShardContext
from jobs.lanes import Lane


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a shard's run. `apply` runs inside the transaction that counts the result, exactly once."""

    result: Mapping[str, Any]
    apply: Callable[[], None] | None = None


class Handler(Protocol):
    """Runs one shard of one kind of job; it may be run again from the start after any kill."""

    lane: Lane

    def run(self, context: ShardContext) -> Outcome:
        """Do the shard's work. Raises ShardFailed for a fault that no retry can fix."""
        ...


@cache
def handler_for(kind: str) -> Handler:
    """The handler of a kind of job. Raises KeyError for an unknown kind."""
    handler: Handler = import_string(settings.JOB_HANDLERS[kind])()
    return handler
