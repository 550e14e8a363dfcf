"""From raw maps to boxes, as the graph does it. Torch.

Of raw maps (N, C + 4, H, W) the first C are, through a sigmoid, how likely an object of each class has its centre in a
place, the last four how far left, top, right and bottom of that place its sides are, in fractions of the image.
"""

import torch
from torch import Tensor, nn

from tasktypes.detection.heat import SIDES
from tasktypes.detection.matching import MAX_DETECTIONS


def decoded(maps: Tensor) -> Tensor:
    """(N, at most 100, 6): x1, y1, x2, y2, score, class; the surest first.

    A place speaks only where no place beside it is surer of the class (Zhou et al., Objects as Points, 2019), and for
    one class alone; so nothing overlapping is left to suppress.
    """
    heat, sides = maps[:, :-SIDES].sigmoid(), maps[:, -SIDES:].sigmoid()
    peaks = heat * (heat == nn.functional.max_pool2d(heat, 3, stride=1, padding=1)).to(heat.dtype)
    score, label = peaks.max(1)
    across, down = centres(maps)
    columns = (
        (across - sides[:, 0]).clamp(0, 1),
        (down - sides[:, 1]).clamp(0, 1),
        (across + sides[:, 2]).clamp(0, 1),
        (down + sides[:, 3]).clamp(0, 1),
    )
    best, places = score.flatten(1).topk(min(MAX_DETECTIONS, score[0].numel()))
    corners = [column.flatten(1).gather(1, places) for column in columns]
    return torch.stack([*corners, best, label.to(maps.dtype).flatten(1).gather(1, places)], 2)


def centres(maps: Tensor) -> tuple[Tensor, Tensor]:
    """x (W,) and y (H, 1) of the middle of each place, as fractions."""
    height, width = maps.shape[2:]
    across = (torch.arange(width, device=maps.device, dtype=maps.dtype) + 0.5) / width
    down = (torch.arange(height, device=maps.device, dtype=maps.dtype) + 0.5) / height
    return across, down[:, None]
