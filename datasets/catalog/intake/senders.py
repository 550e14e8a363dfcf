"""Permission to name stored bytes by their digest.

All projects share stored bytes: naming a digest reveals whether the bytes are stored, and gives access to them. Owners
of the platform may name any. Everybody else may name bytes that they sent lately and those of samples that they may
read; all others count as missing for them, stored or not, and they have to send them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from django.db.models import Q
from django.db.models.functions import Now

from accounts.models import User
from accounts.rights import GRANTED, Right, my_roles
from blobs.models import Blob
from catalog.models import SentBytes
from catalog.reading.keys_of_bytes import known_among
from core.bulk import insert
from core.list_parameters import listed

LATELY = timedelta(days=7)
"""How long a user may name bytes that they sent; longer if a sample that they may read holds them."""


@dataclass(frozen=True, slots=True)
class Sender:
    """A user who names bytes by digest. They may read the samples of `projects`; None: they may name any bytes."""

    user: int
    projects: tuple[int, ...] | None

    @classmethod
    def of(cls, author: User) -> Self:
        """Return the sender for a user, limited to the projects of the token in use."""
        roles = my_roles(author)
        reads = (
            None if roles is None else tuple(sorted(one for one, role in roles.items() if role in GRANTED[Right.READ]))
        )
        return cls(author.pk, reads)

    def among(self, digests: Sequence[str]) -> set[str]:
        """Filter md5s to those that the sender may name."""
        if self.projects is None:
            return set(digests)
        blobs = list(Blob.objects.filter(md5__in=listed(digests)))
        lately = SentBytes.objects.filter(author=self.user, sent__gte=Now() - LATELY)
        mine = set(lately.filter(blob__in=listed([blob.pk for blob in blobs])).values_list("blob", flat=True))
        others = known_among([blob for blob in blobs if blob.pk not in mine], frozenset(self.projects))
        return {blob.md5 for blob in blobs if blob.pk in mine} | {blob.md5 for blob in others}

    def note(self, blobs: Iterable[Blob]) -> None:
        """Record that the sender has sent these, and may name them for LATELY; delete older records."""
        if self.projects is None:
            return
        sent = {blob.pk: blob for blob in blobs}
        again = Q(blob__in=listed(list(sent)))  # restarts their time
        SentBytes.objects.filter(Q(sent__lt=Now() - LATELY) | again, author=self.user).delete()
        insert([SentBytes(author_id=self.user, blob=blob) for blob in sent.values()], ids=False, skip_conflicts=True)
