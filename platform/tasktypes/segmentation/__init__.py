"""Polygons around objects, with boxes beside them where they are drawn."""

from collections.abc import Mapping
from typing import ClassVar

from tasktypes.objects import ObjectAgreement
from tasktypes.protocol import Step, TaskType
from tasktypes.registry import register
from tasktypes.segmentation.labels import PolygonLabels


@register("segmentation")
class Segmentation(TaskType):
    """Polygons around objects, with boxes beside them where they are drawn."""

    labels = PolygonLabels()
    agreement = ObjectAgreement()
    lacks: ClassVar[Mapping[Step, str]] = dict.fromkeys(
        ("training", "mining", "back-tests"),
        "no architecture here outlines objects; label, version, import and export them",
    )
