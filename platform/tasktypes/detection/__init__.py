"""Boxes around objects, with polygons beside them where they are drawn."""

from collections.abc import Mapping
from typing import ClassVar

from tasktypes.detection.labels import BoxLabels
from tasktypes.objects import ObjectAgreement
from tasktypes.protocol import Step, TaskType
from tasktypes.registry import register


@register("detection")
class Detection(TaskType):
    """Boxes around objects, with polygons beside them where they are drawn."""

    labels = BoxLabels()
    agreement = ObjectAgreement()
    lacks: ClassVar[Mapping[Step, str]] = dict.fromkeys(
        ("training", "mining", "back-tests"),
        "no architecture here finds objects; label, version, import and export them",
    )
