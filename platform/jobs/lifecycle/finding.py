"""Find a named thing by its id, name or former name, and refuse what is archived or deleted."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from accounts.rights import Right, check, visible
from core.errors import Conflict, NotFound
from core.references import MAX_ID_DIGITS, as_number, by_id_or_name
from jobs.lifecycle.former_names import holder
from jobs.lifecycle.kinds import kind_of, kinds
from jobs.lifecycle.models import LifecycleEvent, Named

N = TypeVar("N", bound=Named)
RENAMED, DELETED = LifecycleEvent.Action.RENAMED, LifecycleEvent.Action.DELETED


def find_named(kind: str, noun: str, find: Callable[..., Iterable[N]], reference: str) -> N:
    """Return the thing with this id or name, else the one whose former name it is.

    `find` is called with a `pk` or a `name`. Raises NotFound: `{kind}_deleted` with who deleted it and when, or
    `{kind}_unknown`, also for what is in a project of others; NotAllowed for members whose role is too low.
    """

    def unknown() -> NotFound:
        return NotFound(f"There is no {noun} {reference!r}.", code=f"{kind}_unknown")

    found = by_id_or_name(find, reference)
    if found is not None and found.deleted is None:
        check(found.project_of, unknown)
        return found
    rows = LifecycleEvent.objects.filter(kind=kind).select_related("by").order_by("-pk")
    events = visible(rows, "project", right=Right.SEE)
    number = as_number(reference, digits=MAX_ID_DIGITS)
    if found is None and (held := holder(kinds()[kind], reference)) is not None:
        check(held.project_of, unknown)
        return next(iter(find(pk=held.pk)))
    if found is None and (renamed := events.filter(name=reference, action=RENAMED).first()) is not None:
        number = renamed.object_id
    of_it = {"name": reference} if number is None else {"object_id": number}
    if (deletion := events.filter(action=DELETED, **of_it).first()) is not None:
        when = f"{deletion.created:%Y-%m-%d %H:%M} UTC"
        detail = f"The {noun} {deletion.name!r} was deleted by {deletion.by.username} on {when}."
        raise NotFound(detail, code=f"{kind}_deleted")
    raise unknown()


def refuse_archived(*rows: Named) -> None:
    """Raise Conflict (`archived`) when one of these is archived or deleted: nothing is started with it, or written."""
    for row in rows:
        if row.archived is not None or row.deleted is not None:
            kind = kind_of(row)
            mended = f"archived: restore it first (POST /{kind.route}/{row.pk}/restore)"
            detail = f"The {kind.noun} {str(row)!r} is {'deleted' if row.deleted else mended}."
            raise Conflict(detail, code="archived")
