"""What follows an erasure for maps."""

from collections.abc import Sequence
from typing import Any

from django.dispatch import receiver

from catalog.signals import samples_erased
from maps.points import forget_samples


@receiver(samples_erased)
def forget_points(samples: Sequence[int], **_: Any) -> None:
    """No map shows them any more."""
    forget_samples(samples)
