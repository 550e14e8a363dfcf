"""Former names: each leads to the thing that had it, and is reserved for it until the thing is deleted or its owner
releases the name. So nobody else's clones, DVC remotes and scripts are led to another thing."""

from collections.abc import Iterator

from django.db.models import Model, Q

from accounts.audit import note as audited
from accounts.models import User
from accounts.rights import is_member
from core.errors import Conflict, NotFound
from jobs.lifecycle.kinds import Kind, kind_of
from jobs.lifecycle.models import LifecycleEvent, Named

Action = LifecycleEvent.Action


def holder(kind: Kind, name: str) -> Named | None:
    """Return the thing that this former name leads to: of those that had it and are not deleted, the last; None if it
    was released, or nothing had it."""
    return next((row for row, _ in _holders(kind, name)), None)


def refuse_reserved(kind: Kind, name: str, row: Named | None = None) -> None:
    """Raise Conflict (`name_reserved`) if the name is a former one of another thing than `row`. Who can't see that
    thing learns nothing of it."""
    for held, since in _holders(kind, name):
        if row is not None and held.pk == row.pk:
            return
        if not is_member(held.project_of):
            detail = f"The name {name!r} is reserved: choose another name."
        else:
            detail = (
                f"{name!r} was the name of the {kind.noun} {str(held)!r} until {since:%Y-%m-%d} and still leads to it: "
                f"clones, DVC remotes and scripts may use it. Choose another name, or let an owner of that {kind.noun} "
                f"release it (POST /{kind.route}/{held.pk}/release-name)."
            )
        raise Conflict(detail, code="name_reserved")


def release(kind: Kind, row: Named, name: str, *, by: User) -> None:
    """Let others take a former name of this thing; until they do it leads nowhere. Raises NotFound
    (`former_name_unknown`)."""
    if all(held.pk != row.pk for held, _ in _holders(kind, name)):
        detail = f"{name!r} is not a former name of the {kind.noun} {str(row)!r}."
        raise NotFound(detail, code="former_name_unknown")
    what = {"kind": kind.name, "object_id": row.pk, "project_id": row.project_of}
    LifecycleEvent.objects.create(**what, action=Action.RELEASED, name=name[:100], by=by)
    audited(Action.RELEASED, f"name of a {kind.noun}", name, project=row.project_of, after={"name": str(row)}, by=by)


def check_new(sender: type[Model], instance: Model, *, raw: bool = False, **_: object) -> None:  # noqa: ARG001 - a receiver
    """Receive Django's `pre_save`: a new thing, of whatever kind, takes no reserved name. Raises Conflict
    (`name_reserved`)."""
    if isinstance(instance, Named) and instance._state.adding and not raw:  # noqa: SLF001 - Django's documented name
        name = getattr(instance, "name", None)
        if name:
            refuse_reserved(kind_of(instance), name)


def _holders(kind: Kind, name: str) -> Iterator[tuple[Named, object]]:
    """Yield the things that had the name and keep it, each with when it was renamed, the last first."""
    given = Q(action=Action.RENAMED) | Q(action=Action.RELEASED)
    events = LifecycleEvent.objects.filter(given, kind=kind.name, name=name)
    seen: set[int] = set()
    for pk, action, when in events.order_by("-pk").values_list("object_id", "action", "created"):
        if pk in seen:
            continue
        seen.add(pk)
        if action == Action.RENAMED:
            row = kind.model.everything.filter(pk=pk, deleted=None).first()
            if row is not None and str(row) != name:
                yield row, when
