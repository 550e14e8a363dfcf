"""The image encoder of a project as a frozen trunk: an ONNX file that runs on ONNX Runtime, below a linear head."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic.dataclasses import dataclass
from pydantic.json_schema import SkipJsonSchema

from training.architectures import Architecture, register
from training.config import ENCODER, Recipe
from worker_programs.config import STRICT, ConfigError, setting

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True, kw_only=True, config=STRICT)
class EncoderParams:
    """Which encoder, and the dropout of the head. The training fills in what the encoder's file says."""

    encoder: Annotated[str, setting("Network", usual=True, max_length=100)] = ""
    """Name of an encoder of the model's project, whose embeddings the head is trained on."""
    dropout: Annotated[float, setting("Network", ge=0, lt=1)] = 0.0
    """Share of the embedding that is dropped at random while training, against overfitting."""
    sha256: SkipJsonSchema[str] = ""
    """SHA-256 of the encoder's file."""
    input_size: SkipJsonSchema[tuple[int, int, int]] = (3, 224, 224)
    """[C, H, W] of the images that the file takes."""
    width: SkipJsonSchema[int] = 512
    """Numbers of an embedding by the file."""


@register(ENCODER)
class Encoder(Architecture):
    """Embeddings of an encoder of your project and a linear head: choose the encoder in `encoder`."""

    Params = EncoderParams
    params: EncoderParams
    recipe = Recipe(learning_rate=0.03, weight_decay=0.01, epochs=20, min_steps=300, shift=0)
    width_is_declared = False
    frozen = True

    @property
    def input_size(self) -> tuple[int, int, int]:
        """The image size that the encoder's file takes."""
        return self.params.input_size

    @property
    def normalisation(self) -> tuple[list[float], list[float]]:
        """None: the file takes pixels 0..255 and normalises them itself."""
        channels = self.input_size[0]
        return [0.0] * channels, [1 / 255] * channels

    @property
    def embedding_dim(self) -> int:
        """Numbers of an embedding by the encoder."""
        return self.params.width

    @property
    def dropout(self) -> float:
        """Set by the parameter `dropout`."""
        return self.params.dropout

    def trunk(self) -> "nn.Module":
        """The encoder on ONNX Runtime. ConfigError where its file is not among the `files`."""
        from training.encoders import EncoderTrunk

        path: Path | None = self.files.get(self.params.sha256)
        if path is None:
            words = "name an encoder of the project whose file this training is given"
            raise ConfigError({f"params.{ENCODER}": [words]})
        return EncoderTrunk(path, self.params.sha256)
