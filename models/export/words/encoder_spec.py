"""Options for a pair of encoders, of images and of texts. Imports neither torch nor ONNX."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from worker_programs.config import STRICT, ConfigError
from worker_programs.wording import plural

MOST_TOKENS = 4096
CLIP_MEAN, CLIP_STD = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]
"""Mean and deviation of the training images of CLIP and most models of its kind: the defaults."""
CLIP_LENGTH = 77
"""Tokens that CLIP's text encoders read."""
Part = Literal["image", "text", "tokenizer"]
"""The three files."""


class EncoderError(Exception):
    """One of the three files can't be used: `part` says which, the message what is wrong with it and how to fix it."""

    def __init__(self, part: Part, message: str) -> None:
        self.part, self.code = part, f"encoder_{part}"
        super().__init__(f"{part}: {message}")


@dataclass(frozen=True, kw_only=True, config=STRICT)
class EncoderSpec:
    """How the two networks read and answer; None: as their files say."""

    input_size: tuple[int, int, int] | None = None
    """[C, H, W] of the images; None: as the graph declares."""
    layout: Literal["nchw", "nhwc"] = "nchw"
    """Order of the axes of the images."""
    scale: Literal["255", "1"] = "255"
    """255: images are values 0..1 before mean and std; 1: 0..255."""
    mean: list[float] | None = None
    """Per channel, subtracted after scaling; None: CLIP's for colours, nothing for grey."""
    std: list[Annotated[float, Field(gt=0)]] | None = None
    """Per channel, divided by after that; None: CLIP's for colours, nothing for grey."""
    image_output: str | None = None
    """The output (batch, D) of the image encoder; None: the only one, or `image_embeds` or `pooler_output`."""
    text_output: str | None = None
    """The output (batch, D) of the text encoder; None: the only one, or `text_embeds` or `pooler_output`."""
    text_length: Annotated[int, Field(ge=1, le=MOST_TOKENS)] | None = None
    """The most tokens read of a text; None: as many as the graph or the tokenizer says, else CLIP's 77."""
    fill: bool | None = None
    """Whether shorter texts are filled up with the padding token; None: if the graph or the tokenizer asks for it."""
    pad_token: str | None = None
    """The padding token; None: the tokenizer's own."""

    def __post_init__(self) -> None:
        channels = self.input_size[0] if self.input_size else None
        for name, values in (("mean", self.mean), ("std", self.std)):
            if channels and values is not None and len(values) != channels:
                raise ConfigError({name: [f"wants {plural(channels, 'number')}, one a channel, not {len(values)}"]})


@dataclass(frozen=True, kw_only=True, config=STRICT)
class EncodersConfig:
    """The config of `python -m export.words.encoders`."""

    image: Path
    text: Path
    tokenizer: Path
    spec: EncoderSpec
    image_out: Path
    """The image encoder to write, as the platform runs it."""
    text_out: Path
    """The text encoder to write, with its tokenizer inside."""
