"""Centres by a focal loss, sides by overlap (Liu et al., Training-Time-Friendly Network, 2020). Torch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tasktypes.detection.decoding import centres, decoded
from tasktypes.detection.levels import SIDES, SPAN, Level, levels_of
from tasktypes.detection.metrics import DetectionMetrics
from tasktypes.detection.targets import CLASS, KIND, OBJECT, REGION
from tasktypes.mixed import Mix
from tasktypes.model_parts import Learning, Objective

NEAR, SIDE_NEAR = 0.54, 0.3
"""The reach of a centre's heat, as a share of half the object; and the least heat of places that learn sides."""
SIDES_WEIGHT = 5.0
SMALLEST = 1e-7
BLOCK = 256
"""The number of images whose loss is computed at a time when no gradient is needed."""


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
        """Return the boxes of raw maps; see `decoded`."""
        return decoded(logits)

    def score(self, logits: Tensor, targets: NDArray[Any]) -> tuple[float, float]:
        """Return mAP@[.5:.95] and the mean loss."""
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
    Rezatofighi et al. 2019), each by the objects of the batch. Places in a region to ignore don't count as empty."""

    def loss(self, logits: Tensor, targets: Tensor, mixed: Mix | None) -> Tensor:
        """Return the loss of raw maps (N, C + 4, ..) against targets (N, G, 8); `mixed` is None."""
        assert mixed is None  # noqa: S101 - the task type refuses to mix
        heat, near = aims(logits, targets)
        objects = (targets[..., KIND] == OBJECT).sum().clamp(min=1)
        focal = _focal(logits[:, :-SIDES], heat, ignored(logits, targets))
        return focal / objects + SIDES_WEIGHT * _sides(logits, targets, near) / objects

    def right(self, logits: Tensor, targets: Tensor, mixed: Mix | None) -> Tensor:  # noqa: ARG002 - see `loss`
        """Return the share of objects whose class has a probability above 0.5 at their centre, times the number of
        images."""
        objects = targets[..., KIND] == OBJECT
        places = _places(levels_of(logits.shape), targets)
        said = logits[:, :-SIDES].flatten(2).gather(2, places[:, None].expand(-1, logits.shape[1] - SIDES, -1))
        label = targets[..., CLASS].long().clamp(min=0)[:, None]
        hit = (said.gather(1, label)[:, 0] >= 0) & objects
        return hit.sum().double() / objects.sum().clamp(min=1) * len(logits)


def aims(maps: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Return the target heat (N, C, P) of maps, 1 in the place of a centre and less around it; and the heat of each
    object (N, G, P), 0 for rows that are no object. An object has heat in only one level; see `owners`."""
    levels = levels_of(maps.shape)
    objects = (targets[..., KIND] == OBJECT).to(maps.dtype)
    owner = owners(levels, targets)
    near = torch.cat([_near(level, targets, objects * (owner == at)) for at, level in enumerate(levels)], 2)
    label = targets[..., CLASS].long()
    of_classes = [(near * (label == one)[..., None]).amax(1) for one in range(maps.shape[1] - SIDES)]
    return torch.stack(of_classes, 1), near


def owners(levels: Sequence[Level], targets: Tensor) -> Tensor:
    """Return (N, G) the level that learns each target: the finest of which it is at most 12 places long, the geometric
    mean of across and down; the coarsest for larger targets (Lin et al., Feature Pyramid Networks, 2017)."""
    width, height = targets[..., 2] - targets[..., 0], targets[..., 3] - targets[..., 1]
    areas = torch.stack([width * level.width * height * level.height for level in levels], 2)
    return (areas[..., :-1] > SPAN**2).sum(2)


def ignored(maps: Tensor, targets: Tensor) -> Tensor:
    """Mark (N, C, P) the places whose middle is in a region to ignore, of this class or of all."""
    x, y = centres(maps)
    corners = targets[..., :4, None].unbind(2)
    inside = (x >= corners[0]) & (x <= corners[2]) & (y >= corners[1]) & (y <= corners[3])
    held = inside & (targets[..., KIND] == REGION)[..., None]
    label = targets[..., CLASS].long()
    of_classes = [(held & ((label == one) | (label < 0))[..., None]).any(1) for one in range(maps.shape[1] - SIDES)]
    return torch.stack(of_classes, 1)


def _near(level: Level, targets: Tensor, held: Tensor) -> Tensor:
    """Return (N, G, places of the level) the heat of each target, times `held` (N, G)."""
    along = []
    for axis, size in ((1, level.height), (0, level.width)):
        line = torch.arange(size, device=targets.device, dtype=held.dtype)
        middle = _middle(targets, axis, size).to(held.dtype)
        sigma = _spread((targets[..., 2 + axis] - targets[..., axis]) * size)
        along.append(torch.exp(-((line - middle[..., None]) ** 2) / (2 * sigma[..., None] ** 2)))
    return (along[0][..., :, None] * along[1][..., None, :]).flatten(2) * held[..., None]


def _places(levels: Sequence[Level], targets: Tensor) -> Tensor:
    """Return (N, G) the place, among those of all levels, that holds the middle of each target in the level that learns
    it."""
    inside = [
        level.start + _middle(targets, 1, level.height) * level.width + _middle(targets, 0, level.width)
        for level in levels
    ]
    return torch.stack(inside, 2).gather(2, owners(levels, targets)[..., None])[..., 0]


def _middle(targets: Tensor, axis: int, size: int) -> Tensor:
    """Return (N, G) the index, among `size` places along x (0) or y (1), of the place with the middle of each
    target."""
    return ((targets[..., axis] + targets[..., 2 + axis]) / 2 * size).long().clamp(0, size - 1)


def _spread(length: Tensor) -> Tensor:
    """Return the standard deviation of heat along an object's side, given in places."""
    return (2 * (length / 2 * NEAR) + 1) / 6


def _focal(logits: Tensor, heat: Tensor, left_out: Tensor) -> Tensor:
    said = logits.flatten(2)
    yes, no = nn.functional.logsigmoid(said), nn.functional.logsigmoid(-said)
    likely = said.sigmoid()
    peak = heat >= 1
    empty = (~peak & ~left_out) * (1 - heat) ** 4 * likely**2 * no
    return -(peak * (1 - likely) ** 2 * yes).sum() - empty.sum()


def _sides(maps: Tensor, targets: Tensor, near: Tensor) -> Tensor:
    """Sum 1 - GIoU over the objects, each the mean over its places weighted by heat. A place that several objects reach
    belongs to the smallest."""
    area = (targets[..., 2] - targets[..., 0]) * (targets[..., 3] - targets[..., 1])
    reached = near >= SIDE_NEAR
    cost = torch.where(reached, area[..., None], torch.inf)
    owner = cost.argmin(1)
    own = reached & (torch.arange(near.shape[1], device=maps.device)[:, None] == owner[:, None])
    share = near * own
    share = share / share.sum(2, keepdim=True).clamp(min=SMALLEST)
    wanted = torch.stack([targets[..., at].gather(1, owner) for at in range(SIDES)], 2)
    far = maps.flatten(2)[:, -SIDES:].sigmoid()
    x, y = centres(maps)
    said = torch.stack([x - far[:, 0], y - far[:, 1], x + far[:, 2], y + far[:, 3]], 2)
    return (share.sum(1) * (1 - _giou(said, wanted))).sum()


def _giou(boxes: Tensor, others: Tensor) -> Tensor:
    """Return the generalised IoU (..) of boxes (.., 4), -1..1."""
    low, high = torch.maximum(boxes[..., :2], others[..., :2]), torch.minimum(boxes[..., 2:], others[..., 2:])
    shared = (high - low).clamp(min=0).prod(-1)
    union = sum((one[..., 2:] - one[..., :2]).clamp(min=0).prod(-1) for one in (boxes, others)) - shared
    around = torch.maximum(boxes[..., 2:], others[..., 2:]) - torch.minimum(boxes[..., :2], others[..., :2])
    hull = around.prod(-1).clamp(min=SMALLEST)
    giou: Tensor = shared / union.clamp(min=SMALLEST) - (hull - union) / hull
    return giou
