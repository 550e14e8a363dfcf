"""`python -m export.words.encoders CONFIG.json`: convert a pair of foreign encoders, of images and of texts, into two
files that the platform runs."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from export.runtime import ModelError, Session
from export.trunk import trunk_fault
from export.words.adopt_image import adopt_image
from export.words.adopt_text import adopt_text
from export.words.encoder_spec import EncoderError, EncodersConfig, Part
from export.words.text_model import TextModel
from worker_programs import files
from worker_programs.events import Listener, Silent, run


def adopt_encoders(config: EncodersConfig, listener: Listener | None = None) -> dict[str, Any]:
    """Write both files; returns their `width`, the `input_size`, the `text_length` and `fill` of the text encoder, and
    as `trunk_fault` why a model can't be trained on the image encoder, empty if one can.
    Raises EncoderError naming the file that can't be used and the fix."""
    listener, spec = listener or Silent(), config.spec
    listener.log("checking the image encoder")
    image = _named("image", lambda: adopt_image(config.image.read_bytes(), spec))
    session = Session(image)
    listener.log("checking the text encoder with its tokenizer")
    tokenizer = _text(config.tokenizer)
    text = _named("text", lambda: adopt_text(config.text.read_bytes(), tokenizer, spec))
    model = TextModel(text)
    width, other = session.embedding_dim, len(model.read("a").embedding)
    if width != other:
        words = (
            f"gives {other} numbers for a text, the image encoder {width} for an image: use two that were trained "
            "together, each with its projection, and name the output as `image_output` or `text_output`"
        )
        raise EncoderError("text", words)
    files.write_bytes(config.image_out, image)
    files.write_bytes(config.text_out, text)
    facts = model.facts
    listener.log("checking whether models can be trained on the image encoder")
    return {
        "width": width,
        "input_size": session.facts.input_size,
        "text_length": facts.context,
        "fill": facts.fill,
        "trunk_fault": trunk_fault(image, width),
    }


def _named(part: Part, adopt: Callable[[], bytes]) -> bytes:
    try:
        return adopt()
    except ModelError as fault:
        raise EncoderError(part, str(fault)) from fault


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as fault:
        raise EncoderError("tokenizer", "is not text in UTF-8: send a `tokenizer.json`") from fault


def _body(config: EncodersConfig, listener: Listener) -> Mapping[str, Any]:
    return adopt_encoders(config, listener)


if __name__ == "__main__":
    sys.exit(run(EncodersConfig, _body))
