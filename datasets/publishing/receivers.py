"""The receiver of lost rights, which renews read keys."""

from typing import Any

from django.db.models import F
from django.dispatch import receiver

from accounts.models import User
from accounts.rights import Right, has_right
from accounts.signals import rights_lost
from publishing.models import KeyHolder
from publishing.services import renew_key
from publishing.sources import source


@receiver(rights_lost)
def renew_keys(person: User, **_: Any) -> None:
    """Renew the read keys of repositories that this person may no longer read, because their clones contain the
    keys."""
    held = KeyHolder.objects.filter(user=person, key_number=F("repository__key_number"))
    for holder in held.select_related("repository").order_by("repository"):
        repository = holder.repository
        project = source(repository.kind).project_of(repository.name)
        if not (person.is_active and has_right(person, Right.READ, project)):
            renew_key(repository)
