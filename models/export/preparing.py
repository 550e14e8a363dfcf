"""`python -m export.preparing CONFIG.json`: what a training by `auto` and its proof need, computed before the labels.

Of images whose labels are still to come it computes what does not depend on these: the features by each trunk that is
compared, the graph that is exported, and the outputs of that graph's trunk. All go into this machine's cache, where the
training and the proof find them bit for bit as they would compute them; without a cache there is nothing to do.
"""

import sys
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field
from pydantic.dataclasses import dataclass

from export.config import InputKind
from tasktypes import DEFAULT
from training.auto import AutoParams
from worker_programs.config import STRICT
from worker_programs.events import Listener, run


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PreparingConfig:
    """The config of `python -m export.preparing`; paths are those of the machine that prepares."""

    labelled: Path
    """Manifest of images that have a label or are asked for one."""
    classes: Annotated[list[str], Field(min_length=1)]
    task: str = DEFAULT
    unlabelled: Path | None = None
    """Manifest of images that are to get pseudo-labels; None: there are none."""
    judged: Path | None = None
    """Manifest of the images on which the model is evaluated; None: there are none."""
    params: AutoParams = field(default_factory=AutoParams)
    encoders: dict[str, Path] = field(default_factory=dict)
    """Files of encoders by name, whose embeddings are compared too."""
    input: InputKind = "float32_nchw"
    blobs: str | None = None
    """Folder to read blobs from; None: the object store of the environment."""
    threads: Annotated[int, Field(ge=1)] = 1
    """CPU threads of one image, as the training has them: the last bits of features depend on them."""
    workers: Annotated[int, Field(ge=1)] = 1
    """Images that are computed at once."""


def prepare(config: PreparingConfig, listener: Listener) -> dict[str, Any]:
    """Fill the cache; returns how many images were looked at. Raises ManifestError, DataError, ConfigError."""
    from blobs.cache import BlobCache
    from blobs.opening import open_reader
    from export.answers import Halves, Pictures
    from export.graph import facts_of, to_onnx
    from export.proto import set_facts, take_uint8
    from export.runtime import Session
    from training.encoders import trunks_of
    from training.features import load_features
    from training.network import build
    from worker_programs.manifest import read_manifest
    from worker_programs.readers import Remembering

    cache = BlobCache.from_env()
    if cache is None:
        return {"images": 0}
    reader = Remembering(open_reader(config.blobs))
    labelled, unlabelled, judged = (
        read_manifest(path) if path else [] for path in (config.labelled, config.unlabelled, config.judged)
    )
    first, *others = trunks_of(config.params.trunks, config.encoders)
    for trunk in (first, *others):
        samples = [*labelled, *unlabelled] if trunk is first else labelled
        network = build(trunk.architecture, trunk.params, classes=len(config.classes), files=trunk.files)
        load_features(
            samples, reader, network, threads=config.threads, workers=config.workers, listener=listener, cache=cache
        )
    network = build(first.architecture, first.params, classes=len(config.classes))
    proto = to_onnx(network, config.task, cache=cache)
    set_facts(proto, facts_of(network, config.task, config.classes))
    if config.input == "uint8_nhwc":
        take_uint8(proto)
    data = proto.SerializeToString(deterministic=True)
    told = Session(data).facts
    pictures = Pictures(reader, input_size=told.input_size, threads=config.workers, scales=told.jpeg_scales)
    shown = [*judged, *labelled]
    if shown:
        Halves(data, cache).of(shown, pictures)
    listener.log(f"{first.name}: the graph is kept, with the outputs of its trunk for {len(shown)} images")
    return {"images": len(labelled) + len(unlabelled) + len(judged)}


def _body(config: PreparingConfig, listener: Listener) -> Mapping[str, Any]:
    return prepare(config, listener)


if __name__ == "__main__":
    sys.exit(run(PreparingConfig, _body))
