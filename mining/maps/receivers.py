"""What happens to maps when samples are erased."""

from collections.abc import Sequence
from typing import Any

from django.dispatch import receiver

from catalog.signals import samples_erased
from maps.points import forget_samples


@receiver(samples_erased)
def forget_points(samples: Sequence[int], **_: Any) -> None:
    """Remove erased samples from all maps."""
    forget_samples(samples)
