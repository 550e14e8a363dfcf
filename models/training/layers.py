"""The layers that architectures are built from."""

import torch
from torch import Tensor, nn


def conv_block(before: int, after: int, *, kernel: int = 3, stride: int = 1) -> nn.Sequential:
    """Convolution, batch norm, ReLU; (N, before, H, W) -> (N, after, H / stride, W / stride)."""
    return nn.Sequential(
        nn.Conv2d(before, after, kernel, stride=stride, padding=kernel // 2, bias=False),
        nn.BatchNorm2d(after),
        nn.ReLU(),
    )


class Average(nn.Module):
    """Mean over the places: (N, C, H, W) -> (N, C)."""

    def forward(self, x: Tensor) -> Tensor:
        """The means."""
        return x.mean((2, 3))


class Residual(nn.Module):
    """Two convolutions beside a shortcut (the basic block of He et al. 2015)."""

    def __init__(self, before: int, after: int, *, stride: int) -> None:
        super().__init__()
        self.first = conv_block(before, after, stride=stride)
        self.second = nn.Sequential(nn.Conv2d(after, after, 3, padding=1, bias=False), nn.BatchNorm2d(after))
        same = before == after and stride == 1
        self.shortcut: nn.Module = (
            nn.Identity()
            if same
            else nn.Sequential(nn.Conv2d(before, after, 1, stride=stride, bias=False), nn.BatchNorm2d(after))
        )

    def forward(self, x: Tensor) -> Tensor:
        """(N, before, H, W) -> (N, after, H / stride, W / stride)."""
        return torch.relu(self.second(self.first(x)) + self.shortcut(x))


class Features(nn.Module):
    """The feature maps of a backbone that offers them as `extract_features`."""

    def __init__(self, backbone: nn.Module) -> None:
        super().__init__()
        self.backbone = backbone

    def forward(self, x: Tensor) -> Tensor:
        """(N, 3, H, W) -> (N, C, h, w)."""
        features: Tensor = self.backbone.extract_features(x)  # type: ignore[operator]  # nn.Module types it as Tensor | Module
        return features


class Normalise(nn.Module):
    """Pixel values 0..255 -> (x / 255 - mean) / std per channel, as one product and one sum."""

    def __init__(self, mean: list[float], std: list[float]) -> None:
        super().__init__()
        scale = 1 / (255 * torch.tensor(std))
        self.register_buffer("scale", scale.view(1, -1, 1, 1), persistent=False)
        self.register_buffer("bias", (-torch.tensor(mean) / torch.tensor(std)).view(1, -1, 1, 1), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, H, W) raw -> (N, C, H, W) normalised."""
        scale, bias = self.get_buffer("scale"), self.get_buffer("bias")
        return x * scale + bias
