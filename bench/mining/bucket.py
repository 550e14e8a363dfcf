"""An S3 server of the benchmark's own, and real images in it, packed as an import packs them."""

import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from bench.training.corpus import digits
from blobs.packs import PackWriter
from blobs.settings import StoreConfig
from blobs.store import BlobStore
from demo.mnist import MNIST
from embedded import seaweed
from embedded.ports import HOST
from export.graph import to_onnx
from export.proto import set_facts
from training import build
from worker_programs.manifest import Sample

CLASSES = [str(number) for number in range(10)]
PHOTO = (240, 320)
"""Height and width of a photo as it is stored; the models see it at 224 x 224 and 320 x 320."""
STOP_SECONDS = 15


@dataclass(frozen=True, slots=True)
class Pool:
    """Samples in the store with a model to score them, and the bytes of some of them to decode from memory."""

    name: str
    model: Path
    size: tuple[int, int, int]
    samples: list[Sample]
    some: list[bytes]


@contextmanager
def bucket(folder: Path) -> Iterator[StoreConfig]:
    """A running server with an empty bucket; stopped at the end."""
    config = seaweed.SeaweedConfig.on_free_ports(folder / "s3", access_key="bench", secret_key="b" * 16)
    argv, env, cwd = seaweed.command(config)
    with (folder / "s3.log").open("wb") as log:
        server = subprocess.Popen(argv, env=env, cwd=cwd, stdout=log, stderr=log)
    try:
        seaweed.wait_ready(config)
        address = f"{HOST}:{config.s3_port}"
        store = StoreConfig(address, config.access_key, config.secret_key, "bench", secure=False)
        BlobStore(store).ensure_bucket()
        yield store
    finally:
        server.terminate()
        server.wait(STOP_SECONDS)


def mnist(store: StoreConfig, folder: Path, count: int) -> Pool:
    """Handwritten digits as PNG, each a little different where there are not so many; `small_cnn`."""
    found = digits(None)
    images, rng = found.train_images, np.random.default_rng(0)
    name = "MNIST" if found.source == MNIST else found.source

    def pictures() -> Iterator[bytes]:
        for number in range(count):
            image = images[number % len(images)]
            if number >= len(images):
                image = np.where(image, image, rng.integers(0, 8, image.shape)).astype(np.uint8)
            yield cv2.imencode(".png", image)[1].tobytes()

    return _stored(store, folder, name, "small_cnn", pictures())


def photos(store: StoreConfig, folder: Path, count: int) -> Pool:
    """JPEGs of smooth shapes with some grain, as cameras make them; EfficientNet-Lite0."""
    return _stored(store, folder, "photos", "efficientnet_lite0", _photos(count))


def boxes(store: StoreConfig, folder: Path, count: int) -> Pool:
    """The same; the detector, with its boxes."""
    return _stored(store, folder, "photos by the detector", "centre_lite0", _photos(count))


def _photos(count: int) -> Iterator[bytes]:
    rng, (height, width) = np.random.default_rng(0), PHOTO
    for _ in range(count):
        shapes = rng.integers(0, 256, (height // 16, width // 16, 3)).astype(np.uint8)
        picture = cv2.resize(shapes, (width, height), interpolation=cv2.INTER_CUBIC).astype(np.int16)
        picture += rng.integers(-6, 7, picture.shape, dtype=np.int16)
        yield cv2.imencode(".jpg", np.clip(picture, 0, 255).astype(np.uint8))[1].tobytes()


def _stored(store: StoreConfig, folder: Path, name: str, architecture: str, pictures: Iterable[bytes]) -> Pool:
    network = build(architecture, {}, classes=len(CLASSES)).eval()
    task = network.family.tasks()[0]
    proto = to_onnx(network, task)
    set_facts(proto, {"classes": CLASSES, "input_size": network.family.input_size, "task": task})
    model = folder / f"{architecture}.onnx"
    model.write_bytes(proto.SerializeToString())
    some: list[bytes] = []
    with PackWriter(BlobStore(store)) as writer:
        for data in pictures:
            some += [data] if len(some) < 2000 else []
            writer.add(data)
        refs = writer.close()
    samples = [
        Sample(f"{number}", ref.md5, ref.sha256, ref.size, ref.key, ref.offset) for number, ref in enumerate(refs)
    ]
    return Pool(name, model, network.family.input_size, samples, some)
