"""The names of ImageNet's classes, without anything that runs a network."""

from pathlib import Path

import orjson

NAMES = Path(__file__).with_name("imagenet_classes.json")


def imagenet_classes() -> list[str]:
    """The synonyms of each of the 1,000 classes, with commas between them, in the order of the outputs."""
    found: list[str] = orjson.loads(NAMES.read_bytes())
    return found
