"""The base of architectures that are trained from scratch on square images."""

from typing import Protocol

from training.architectures import Architecture


class SquareParams(Protocol):
    """The parameters that all these architectures have."""

    @property
    def channels(self) -> int: ...

    @property
    def size(self) -> int:
        """Height and width of the input in pixels."""

    @property
    def dropout(self) -> float: ...


class Square(Architecture):
    """An architecture for square images, with the parameters `channels`, `size` and `dropout`."""

    params: SquareParams

    @property
    def input_size(self) -> tuple[int, int, int]:
        """Square images of `size`."""
        return self.params.channels, self.params.size, self.params.size

    @property
    def normalisation(self) -> tuple[list[float], list[float]]:
        """Scales pixels to -1..1."""
        return [0.5] * self.params.channels, [0.5] * self.params.channels

    @property
    def dropout(self) -> float:
        """Set by the parameter `dropout`."""
        return self.params.dropout
