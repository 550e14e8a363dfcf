"""What happens elsewhere and ends a read key."""

from typing import Any

from django.db.models import F
from django.dispatch import receiver

from accounts.models import User
from accounts.signals import rights_lost
from publishing.models import KeyHolder
from publishing.services import renew_key


@receiver(rights_lost)
def renew_keys(person: User, **_: Any) -> None:
    """The keys that this person's clones carry are void."""
    held = KeyHolder.objects.filter(user=person, key_number=F("repository__key_number"))
    for holder in held.select_related("repository").order_by("repository"):
        renew_key(holder.repository)
