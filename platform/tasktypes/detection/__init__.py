"""Boxes around objects, with polygons beside them where they are drawn."""

from collections.abc import Mapping
from typing import Any, ClassVar

from tasktypes.detection.labels import BoxLabels
from tasktypes.detection.metrics import DetectionMetrics
from tasktypes.detection.outputs import DetectionMining, DetectionOutputs
from tasktypes.model_parts import Learning
from tasktypes.objects import ObjectAgreement
from tasktypes.protocol import TaskType, later
from tasktypes.registry import register

_BLENDED = "a blend of two images has no boxes"


@register("detection")
class Detection(TaskType):
    """Boxes around objects, with polygons beside them where they are drawn."""

    labels = BoxLabels()
    agreement = ObjectAgreement()
    metrics = DetectionMetrics()
    outputs = DetectionOutputs()
    mining = DetectionMining()
    unfit_recipe: ClassVar[Mapping[str, tuple[tuple[Any, ...], str]]] = {
        "mixup": ((0,), _BLENDED),
        "cutmix": ((0,), _BLENDED),
        "label_smoothing": ((0,), "the heat around a centre is smooth already"),
        "balance": (
            ("none", "sampling"),
            "the loss counts each object alike; use sampling, which draws images of rare classes more often",
        ),
    }

    @property
    def learning(self) -> Learning:
        """See `DetectionLearning`."""
        found: Learning = later("tasktypes.detection.learning", "DetectionLearning")
        return found
