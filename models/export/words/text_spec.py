"""What must be told of a text encoder's ONNX file before it can be run. Imports neither torch nor ONNX."""

from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from worker_programs.config import STRICT

MOST_TOKENS = 4096


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TextSpec:
    """How a text encoder reads; see `export.words.adopt_text.adopt_text`."""

    context: Annotated[int, Field(ge=1, le=MOST_TOKENS)] | None = None
    """Tokens it reads at most; None: as many as its graph or its tokenizer says."""
    fill: bool = False
    """Shorter texts are filled up to `context` with the padding token, as SigLIP was trained."""
    output: str | None = None
    """The output (batch, D), or (batch, tokens, D) of which the mean over the tokens is taken; None: the only one."""
