"""Centres by a focal loss, sides by overlap (Liu et al., Training-Time-Friendly Network, 2020). Torch."""

from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tasktypes.detection.decoding import centres, decoded
from tasktypes.detection.heat import SIDES
from tasktypes.detection.metrics import DetectionMetrics
from tasktypes.detection.targets import CLASS, KIND, OBJECT, REGION
from tasktypes.mixed import Mix
from tasktypes.model_parts import Learning, Objective

NEAR, SIDE_NEAR = 0.54, 0.3
"""How far a centre's heat reaches, as a share of half the object; and the heat from which places give sides."""
SIDES_WEIGHT = 5.0
SMALLEST = 1e-7
BLOCK = 256
"""Images whose loss is computed at a time where no gradient is needed."""


class DetectionLearning(Learning):
    """A heat map of centres for each class, and four sides in each place."""

    def objective(
        self,
        targets: NDArray[Any],  # noqa: ARG002 - each batch brings its own
        *,
        classes: int,  # noqa: ARG002 - maps have as many
        smoothing: float,  # noqa: ARG002 - refused by the task type
        balanced: bool,  # noqa: ARG002 - as above
        device: torch.device,  # noqa: ARG002 - nothing is kept
    ) -> "CentreLoss":
        """See `CentreLoss`."""
        return CentreLoss()

    def activated(self, logits: Tensor) -> Tensor:
        """Boxes of raw maps; see `decoded`."""
        return decoded(logits)

    def score(self, logits: Tensor, targets: NDArray[Any]) -> tuple[float, float]:
        """mAP@[.5:.95] and the mean loss."""
        metrics, objective = DetectionMetrics(), CentreLoss()
        losses = [
            float(objective.loss(logits[at : at + BLOCK], torch.from_numpy(targets[at : at + BLOCK]), None))
            * len(logits[at : at + BLOCK])
            for at in range(0, len(logits), BLOCK)
        ]
        value = metrics.figure(metrics.headline, metrics.judged(decoded(logits).numpy(), targets))
        return value or 0.0, sum(losses) / len(logits)


@dataclass(frozen=True, slots=True)
class CentreLoss(Objective):
    """The focal loss of all places (Law & Deng, CornerNet, 2018) and five times the mean loss of overlap (GIoU,
    Rezatofighi et al. 2019), each by the objects of the batch. In a region to ignore no place is held to be empty."""

    def loss(self, logits: Tensor, targets: Tensor, mixed: Mix | None) -> Tensor:
        """Of raw maps (N, C + 4, H, W) and targets (N, G, 8); `mixed` is None."""
        assert mixed is None  # noqa: S101 - the task type refuses to mix
        heat, near = aims(logits, targets)
        objects = (targets[..., KIND] == OBJECT).sum().clamp(min=1)
        focal = _focal(logits[:, :-SIDES], heat, ignored(logits, targets))
        return focal / objects + SIDES_WEIGHT * _sides(logits, targets, near) / objects

    def right(self, logits: Tensor, targets: Tensor, mixed: Mix | None) -> Tensor:  # noqa: ARG002 - see `loss`
        """The share of the objects in whose centre their class is likelier than not, times the images."""
        objects = targets[..., KIND] == OBJECT
        places = _places(logits, targets)
        said = logits[:, :-SIDES].flatten(2).gather(2, places[:, None].expand(-1, logits.shape[1] - SIDES, -1))
        label = targets[..., CLASS].long().clamp(min=0)[:, None]
        hit = (said.gather(1, label)[:, 0] >= 0) & objects
        return hit.sum().double() / objects.sum().clamp(min=1) * len(logits)


def aims(maps: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """The heat (N, C, H W) that maps should show, 1 in the place of a centre and less around it; and each object's own
    (N, G, H W), 0 of what is no object."""
    height, width = maps.shape[2:]
    objects = targets[..., KIND] == OBJECT
    places = _places(maps, targets)
    across, down = (places % width).to(maps.dtype), (places // width).to(maps.dtype)
    spread = [_spread((targets[..., 2 + axis] - targets[..., axis]) * size) for axis, size in ((0, width), (1, height))]
    x = torch.arange(width, device=maps.device, dtype=maps.dtype)
    y = torch.arange(height, device=maps.device, dtype=maps.dtype)
    along = [
        torch.exp(-((line - middle[..., None]) ** 2) / (2 * sigma[..., None] ** 2))
        for line, middle, sigma in ((x, across, spread[0]), (y, down, spread[1]))
    ]
    near = (along[1][..., :, None] * along[0][..., None, :]).flatten(2) * objects[..., None]
    label = targets[..., CLASS].long()
    of_classes = [(near * (label == one)[..., None]).amax(1) for one in range(maps.shape[1] - SIDES)]
    return torch.stack(of_classes, 1), near


def ignored(maps: Tensor, targets: Tensor) -> Tensor:
    """(N, C, H W): the middle of the place lies in a region to ignore, of this class or of all."""
    x, y = centres(maps)
    corners = targets[..., :4, None, None].unbind(2)
    inside = (x >= corners[0]) & (x <= corners[2]) & (y >= corners[1]) & (y <= corners[3])
    held = inside.flatten(2) & (targets[..., KIND] == REGION)[..., None]
    label = targets[..., CLASS].long()
    of_classes = [(held & ((label == one) | (label < 0))[..., None]).any(1) for one in range(maps.shape[1] - SIDES)]
    return torch.stack(of_classes, 1)


def _places(maps: Tensor, targets: Tensor) -> Tensor:
    """(N, G) the place that holds the middle of each target."""
    height, width = maps.shape[2:]
    across, down = (
        ((targets[..., axis] + targets[..., 2 + axis]) / 2 * size).long().clamp(0, size - 1)
        for axis, size in ((0, width), (1, height))
    )
    return down * width + across


def _spread(length: Tensor) -> Tensor:
    """The standard deviation of heat along a side of so many places."""
    return (2 * (length / 2 * NEAR) + 1) / 6


def _focal(logits: Tensor, heat: Tensor, left_out: Tensor) -> Tensor:
    said = logits.flatten(2)
    yes, no = nn.functional.logsigmoid(said), nn.functional.logsigmoid(-said)
    likely = said.sigmoid()
    peak = heat >= 1
    empty = (~peak & ~left_out) * (1 - heat) ** 4 * likely**2 * no
    return -(peak * (1 - likely) ** 2 * yes).sum() - empty.sum()


def _sides(maps: Tensor, targets: Tensor, near: Tensor) -> Tensor:
    """The sum over the objects of 1 - GIoU, the mean over its places by their heat. A place in which several reach is
    the smallest one's."""
    area = (targets[..., 2] - targets[..., 0]) * (targets[..., 3] - targets[..., 1])
    reached = near >= SIDE_NEAR
    cost = torch.where(reached, area[..., None], torch.inf)
    owner = cost.argmin(1)
    own = reached & (torch.arange(near.shape[1], device=maps.device)[:, None] == owner[:, None])
    share = near * own
    share = share / share.sum(2, keepdim=True).clamp(min=SMALLEST)
    wanted = torch.stack([targets[..., at].gather(1, owner) for at in range(SIDES)], 2)
    far = maps[:, -SIDES:].sigmoid()
    x, y = centres(maps)
    said = torch.stack([x - far[:, 0], y - far[:, 1], x + far[:, 2], y + far[:, 3]], 3).flatten(1, 2)
    return (share.sum(1) * (1 - _giou(said, wanted))).sum()


def _giou(boxes: Tensor, others: Tensor) -> Tensor:
    """(..) of boxes (.., 4), -1..1."""
    low, high = torch.maximum(boxes[..., :2], others[..., :2]), torch.minimum(boxes[..., 2:], others[..., 2:])
    shared = (high - low).clamp(min=0).prod(-1)
    union = sum((one[..., 2:] - one[..., :2]).clamp(min=0).prod(-1) for one in (boxes, others)) - shared
    around = torch.maximum(boxes[..., 2:], others[..., 2:]) - torch.minimum(boxes[..., :2], others[..., :2])
    hull = around.prod(-1).clamp(min=SMALLEST)
    giou: Tensor = shared / union.clamp(min=SMALLEST) - (hull - union) / hull
    return giou
