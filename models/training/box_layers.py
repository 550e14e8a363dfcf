"""The layers that architectures for boxes are built from."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

SIDES = 4
RARE = 0.1
"""Probability that a new head gives any place: with even odds, the first steps would only learn to lower it."""


class Stages(nn.Module):
    """The feature maps of a mobile backbone after some of its blocks."""

    def __init__(self, backbone: Any, after: Sequence[int]) -> None:
        super().__init__()
        self.stem = nn.Sequential(backbone._conv_stem, backbone._bn0, backbone._swish)  # noqa: SLF001 - no public way
        self.blocks = nn.ModuleList(backbone._blocks[: max(after) + 1])  # noqa: SLF001 - as above
        self.after = tuple(after)

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        """(N, 3, H, W) -> one map (N, C, h, w) a stage, the finest first."""
        made, x = [], self.stem(x)
        for number, block in enumerate(self.blocks):
            x = block(x)
            if number in self.after:
                made.append(x)
        return tuple(made)


def separable(before: int, after: int) -> nn.Sequential:
    """A 3x3 convolution of each channel, then one of 1x1 over them all (Howard et al. 2017)."""
    return nn.Sequential(
        nn.Conv2d(before, before, 3, padding=1, groups=before, bias=False),
        nn.Conv2d(before, after, 1, bias=False),
        nn.BatchNorm2d(after),
        nn.ReLU(),
    )


class TopDown(nn.Module):
    """Maps of several strides, with the coarser ones enlarged and added to the finer ones (Lin et al. 2017)."""

    def __init__(self, channels: Sequence[int], width: int) -> None:
        super().__init__()
        self.lateral = nn.ModuleList(nn.Conv2d(one, width, 1) for one in channels)
        self.smooth = nn.ModuleList(separable(width, width) for _ in channels[1:])

    def forward(self, maps: Sequence[Tensor]) -> list[Tensor]:
        """Maps, each half as large as the one before -> a map (N, width, h, w) for each, the finest first."""
        made = [self.lateral[-1](maps[-1])]
        for at in range(len(maps) - 2, -1, -1):
            finer = self.lateral[at](maps[at])
            made.append(self.smooth[at](finer + nn.functional.interpolate(made[-1], scale_factor=2.0, mode="nearest")))
        return made[::-1]


def towers(width: int, depth: int, classes: int) -> tuple[nn.Sequential, nn.Sequential]:
    """Two towers that predict, at each place of a map, how likely each class has a centre there, and its sides."""
    heat, sides = (
        nn.Sequential(*(separable(width, width) for _ in range(depth)), nn.Conv2d(width, maps, 1))
        for maps in (classes, SIDES)
    )
    for tower in (heat, sides):
        nn.init.normal_(tower[-1].get_parameter("weight"), std=0.01)
        nn.init.constant_(tower[-1].get_parameter("bias"), float(torch.logit(torch.tensor(RARE))))
    return heat, sides


class CentreHead(nn.Module):
    """Predicts, at each place of the finest map, how likely an object of each class has its centre there, and how far
    its sides are.

    Returns raw maps (N, classes + 4, h, w); `tasktypes.detection.decoding` explains their values.
    """

    def __init__(self, channels: Sequence[int], classes: int, *, width: int, depth: int) -> None:
        super().__init__()
        self.neck = TopDown(channels, width)
        self.heat, self.sides = towers(width, depth, classes)

    def forward(self, maps: Sequence[Tensor]) -> Tensor:
        """The raw maps of a backbone's maps, the finest first."""
        made = self.neck(maps)[0]
        return torch.cat([self.heat(made), self.sides(made)], 1)


class LevelsHead(nn.Module):
    """Like CentreHead for each of the maps, with separate layers: they learn objects of different sizes (Tian et al.,
    FCOS, 2019).

    Returns raw maps (N, classes + 4, places), one level after the other; see `tasktypes.detection.levels`.
    """

    def __init__(self, channels: Sequence[int], classes: int, *, width: int, depth: int) -> None:
        super().__init__()
        self.neck = TopDown(channels, width)
        made = [towers(width, depth, classes) for _ in channels]
        self.heat, self.sides = (nn.ModuleList(level) for level in zip(*made, strict=True))

    def forward(self, maps: Sequence[Tensor]) -> Tensor:
        """The raw maps of a backbone's maps, the finest first."""
        made = [
            torch.cat([heat(one), sides(one)], 1).flatten(2)
            for heat, sides, one in zip(self.heat, self.sides, self.neck(maps), strict=True)
        ]
        return torch.cat(made, 2)
