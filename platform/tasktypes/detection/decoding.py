"""Decode raw maps to boxes, as the exported graph does. Torch.

Of raw maps (N, C + 4, ..) the first C are, through a sigmoid, how likely an object of each class has its centre in a
place, the last four how far left, top, right and bottom of that place its sides are, in fractions of the image.
"""

import torch
from torch import Tensor, nn

from tasktypes.detection.answers import CLASS, SCORE
from tasktypes.detection.levels import SIDES, Level, levels_of
from tasktypes.detection.matching import MAX_DETECTIONS

SAME = 0.6
"""Boxes of one class from two levels that overlap by at least this IoU are one object."""


def decoded(maps: Tensor) -> Tensor:
    """Decode maps to boxes (N, at most 100, 6): x1, y1, x2, y2, score, class; highest score first.

    A place gives a box only if no neighbouring place of its level has a higher score for the class (Zhou et al.,
    Objects as Points, 2019), and only for one class; so within a level few boxes overlap much. Of boxes from two levels
    for the same object, the one with the higher score counts (`_once`).
    """
    levels = levels_of(maps.shape)
    flat = maps.flatten(2)
    heat, sides = flat[:, :-SIDES].sigmoid(), flat[:, -SIDES:].sigmoid()
    score, label = torch.cat([_peaks(heat, level) for level in levels], 2).max(1)
    across, down = centres(maps)
    columns = (
        (across - sides[:, 0]).clamp(0, 1),
        (down - sides[:, 1]).clamp(0, 1),
        (across + sides[:, 2]).clamp(0, 1),
        (down + sides[:, 3]).clamp(0, 1),
    )
    best, places = score.topk(min(MAX_DETECTIONS * (1 if len(levels) == 1 else 2), score[0].numel()))
    corners = [column.gather(1, places) for column in columns]
    answers = torch.stack([*corners, best, label.to(maps.dtype).gather(1, places)], 2)
    if len(levels) == 1:
        return answers
    starts = torch.tensor([level.start for level in levels[1:]], device=maps.device)
    return _once(answers, (places[..., None] >= starts).sum(2))


def _peaks(heat: Tensor, level: Level) -> Tensor:
    """Return (N, C, places of the level) the heat where no neighbouring place has more, else 0."""
    square = torch.unflatten(heat[..., level.places], 2, (level.height, level.width))
    highest = nn.functional.max_pool2d(square, 3, stride=1, padding=1)
    return (square * (square == highest).to(heat.dtype)).flatten(2)


def _once(answers: Tensor, level: Tensor) -> Tensor:
    """Return the 100 highest-scoring of answers (N, M, 6), sorted by score and each from a level (N, M), without those
    for which another level has a higher-scoring box of the same class at the same place.

    One comparison of all pairs, as in Fast NMS (Bolya et al., YOLACT, 2019), but only between levels.
    """
    low, high, label = answers[..., :2], answers[..., 2:SCORE], answers[..., CLASS]
    first, last = torch.maximum(low[:, :, None], low[:, None]), torch.minimum(high[:, :, None], high[:, None])
    shared, area = (last - first).clamp(min=0).prod(3), (high - low).prod(2)
    same = shared >= SAME * (area[:, :, None] + area[:, None] - shared)
    same = same & (label[:, :, None] == label[:, None]) & (level[:, :, None] != level[:, None])
    order = torch.arange(answers.shape[1], device=answers.device)
    alone = 1 - (same & (order[:, None] < order)).to(answers.dtype).amax(1)
    best, rows = (answers[..., SCORE] * alone).topk(min(MAX_DETECTIONS, answers.shape[1]))
    kept = answers.gather(1, rows[..., None].expand(-1, -1, answers.shape[2]))
    return torch.cat([kept[..., :SCORE], best[..., None], kept[..., CLASS:]], 2)


def centres(maps: Tensor) -> tuple[Tensor, Tensor]:
    """Return x and y (P,) of the middle of each place of raw maps, as fractions; all levels one after the other."""
    made = [_middles(level, maps) for level in levels_of(maps.shape)]
    return torch.cat([across for across, _ in made]), torch.cat([down for _, down in made])


def _middles(level: Level, maps: Tensor) -> tuple[Tensor, Tensor]:
    across, down = (
        (torch.arange(size, device=maps.device, dtype=maps.dtype) + 0.5) / size for size in (level.width, level.height)
    )
    return across.repeat(level.height), down.repeat_interleave(level.width)
