"""Who may name bytes by their digest.

Bytes are shared by all projects: to name some is to ask whether they are stored, and to be given them. Owners of the
platform name any. Everybody else names what they have sent lately and what samples hold that they may read; all else is
missing to them, stored or not, and they send it.
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
"""As long may somebody name what they have sent, unless a sample holds it by then."""


@dataclass(frozen=True, slots=True)
class Sender:
    """Somebody who names bytes by digest; of `projects` they may read the samples, None: they may name any bytes."""

    user: int
    projects: tuple[int, ...] | None

    @classmethod
    def of(cls, author: User) -> Self:
        """As far as the token goes by which they ask."""
        roles = my_roles(author)
        reads = (
            None if roles is None else tuple(sorted(one for one, role in roles.items() if role in GRANTED[Right.READ]))
        )
        return cls(author.pk, reads)

    def among(self, digests: Sequence[str]) -> set[str]:
        """Those of these md5s that they may name."""
        if self.projects is None:
            return set(digests)
        blobs = list(Blob.objects.filter(md5__in=listed(digests)))
        lately = SentBytes.objects.filter(author=self.user, sent__gte=Now() - LATELY)
        mine = set(lately.filter(blob__in=listed([blob.pk for blob in blobs])).values_list("blob", flat=True))
        others = known_among([blob for blob in blobs if blob.pk not in mine], frozenset(self.projects))
        return {blob.md5 for blob in blobs if blob.pk in mine} | {blob.md5 for blob in others}

    def note(self, blobs: Iterable[Blob]) -> None:
        """They have sent these, and may name them for a while; what they sent long ago they may no longer."""
        if self.projects is None:
            return
        sent = {blob.pk: blob for blob in blobs}
        again = Q(blob__in=listed(list(sent)))  # from now on they count anew
        SentBytes.objects.filter(Q(sent__lt=Now() - LATELY) | again, author=self.user).delete()
        insert([SentBytes(author_id=self.user, blob=blob) for blob in sent.values()], ids=False, skip_conflicts=True)
