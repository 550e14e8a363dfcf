"""What happens to picks when samples are erased."""

from collections.abc import Sequence
from typing import Any

from django.dispatch import receiver

from catalog.erasure.neighbours import naming, without_them
from catalog.signals import samples_erased
from mining_jobs.models import Pick


@receiver(samples_erased)
def forget_neighbours(keys: Sequence[str], digests: Sequence[str], **_: Any) -> None:
    """Remove erased samples from the neighbours of other picks; their own picks are deleted by cascade."""
    for pick in naming(Pick.objects.all(), "neighbours", digests):
        pick.neighbours = without_them(pick.neighbours, keys, digests)
        pick.save(update_fields=["neighbours"])
