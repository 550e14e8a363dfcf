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


class Classifier(nn.Linear):
    """Dropout and a dense layer: embeddings (N, before) -> logits (N, after)."""

    def __init__(self, before: int, after: int, *, dropout: float) -> None:
        super().__init__(before, after)
        self.rate = dropout

    def forward(self, x: Tensor) -> Tensor:
        """The logits."""
        return super().forward(nn.functional.dropout(x, self.rate, self.training))


class Average(nn.Module):
    """Mean over the places: (N, C, H, W) -> (N, C)."""

    def forward(self, x: Tensor) -> Tensor:
        """The means."""
        return x.mean((2, 3))


def _shortcut(before: int, after: int, stride: int) -> nn.Module:
    """The input itself, or a 1x1 convolution of it if the shape changes."""
    if before == after and stride == 1:
        return nn.Identity()
    return nn.Sequential(nn.Conv2d(before, after, 1, stride=stride, bias=False), nn.BatchNorm2d(after))


class Residual(nn.Module):
    """Two convolutions beside a shortcut (the basic block of He et al. 2015)."""

    def __init__(self, before: int, after: int, *, stride: int) -> None:
        super().__init__()
        self.first = conv_block(before, after, stride=stride)
        self.second = nn.Sequential(nn.Conv2d(after, after, 3, padding=1, bias=False), nn.BatchNorm2d(after))
        self.shortcut = _shortcut(before, after, stride)

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


class Bottleneck(nn.Module):
    """A 3x3 convolution between two of 1x1 that narrow and widen, beside a shortcut (He et al. 2015)."""

    def __init__(self, before: int, after: int, *, stride: int) -> None:
        super().__init__()
        inside = after // 4
        self.first = conv_block(before, inside, kernel=1)
        self.second = conv_block(inside, inside, stride=stride)
        self.third = nn.Sequential(nn.Conv2d(inside, after, 1, bias=False), nn.BatchNorm2d(after))
        self.shortcut = _shortcut(before, after, stride)

    def forward(self, x: Tensor) -> Tensor:
        """(N, before, H, W) -> (N, after, H / stride, W / stride)."""
        return torch.relu(self.third(self.second(self.first(x))) + self.shortcut(x))


class Patches(nn.Module):
    """Square patches as tokens with a learned position embedding: (N, C, size, size) -> (N, places, width)."""

    def __init__(self, channels: int, width: int, *, size: int, patch: int) -> None:
        super().__init__()
        self.project = nn.Conv2d(channels, width, patch, stride=patch)
        self.places = nn.Parameter(torch.empty(1, (size // patch) ** 2, width))
        nn.init.trunc_normal_(self.places, std=0.02)

    def forward(self, x: Tensor) -> Tensor:
        """The tokens, row by row."""
        tokens: Tensor = self.project(x).flatten(2).transpose(1, 2) + self.places
        return tokens


class TransformerBlock(nn.Module):
    """One layer of a transformer, norm first: attention, then two dense layers, each beside a shortcut."""

    def __init__(self, width: int, *, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mix, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.dense = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        """(N, places, width) -> the same shape."""
        x = x + self._attention(self.before(x))
        made: Tensor = x + self.dense(self.after(x))
        return made

    def _attention(self, x: Tensor) -> Tensor:
        _, places, width = x.shape
        parts = self.mix(x).unflatten(2, (3, self.heads, width // self.heads)).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(parts[0], parts[1], parts[2])
        made: Tensor = self.out(mixed.transpose(1, 2).reshape(-1, places, width))
        return made


class TokenMean(nn.Module):
    """Mean over the tokens: (N, places, width) -> (N, width)."""

    def forward(self, x: Tensor) -> Tensor:
        """The means."""
        return x.mean(1)
