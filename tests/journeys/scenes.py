"""A small detection dataset of parts of real photographs, and queues that ask for shapes on them."""

import functools
import io
import json
from collections.abc import Iterator, Mapping, Sequence

from PIL import Image
from sklearn.datasets import load_sample_images
from tests.journeys.site import Site

from motherlode.archives import write_tar
from motherlode.client import Motherlode
from motherlode.transport import Upload

CLASSES = ["roof", "flower", "tree"]
SIZE = (320, 240)
COUNT = 8
PLACES = ((0, 0), (320, 0), (0, 187), (320, 187))  # of the parts in a photograph of 640 x 427


def load(client: Motherlode, name: str) -> list[str]:
    """Create the dataset; returns the keys of its images, each `SIZE` large and unlabelled."""
    client.datasets.create(name, classes=CLASSES, task="detection", description="scikit-learn's photographs")
    keys = [f"scene-{place}.png" for place in range(COUNT)]
    archive = io.BytesIO()
    write_tar(archive, zip(keys, parts(), strict=True))
    upload = Upload("scenes.tar", archive.getvalue(), "application/x-tar")
    commit = client.datasets.push(name, upload, split="pool", allow_near_duplicates=True)
    assert not commit["rejected"], commit["rejected"]
    return keys


@functools.cache
def parts() -> tuple[bytes, ...]:
    """PNGs cut out of scikit-learn's two photographs."""
    return tuple(_cut(photograph) for photograph in load_sample_images().images for photograph in _tiles(photograph))


def _tiles(pixels: object) -> Iterator[Image.Image]:
    photograph = Image.fromarray(pixels)  # type: ignore[arg-type]  # an array of scikit-learn, which ships no types
    for left, top in PLACES:
        yield photograph.crop((left, top, left + SIZE[0], top + SIZE[1]))


def _cut(tile: Image.Image) -> bytes:
    stream = io.BytesIO()
    tile.save(stream, "PNG")
    return stream.getvalue()


def queue(
    site: Site,
    dataset: str,
    name: str,
    suggestions: Sequence[Mapping[str, object] | None],
    *,
    kind: str = "boxes",
    threshold: float | None = None,
) -> str:
    """A queue over the first images, each with what a model suggests.

    Made by the platform's own rule on its machine: no call of the API takes suggestions from outside.
    """
    facts = {"dataset": dataset, "name": name, "suggestions": suggestions,
             "terms": {"kind": kind, "blind_share": 0.0, "accept_threshold": threshold}}  # fmt: skip
    site.run_script(SCRIPT.format(facts=json.dumps(json.dumps(facts))))
    return name


SCRIPT = """
import json
from accounts.models import User
from catalog.models import Dataset, Sample
from labeling.services import QueueItem, create_queue
facts = json.loads({facts})
dataset = Dataset.objects.get(name=facts["dataset"])
ids = Sample.objects.filter(dataset=dataset).order_by("key").values_list("pk", flat=True)
items = [QueueItem(pk, suggestion) for pk, suggestion in zip(ids, facts["suggestions"], strict=False)]
create_queue(dataset, facts["name"], items=items, created_by=User.objects.get(is_owner=True), terms=facts["terms"])
"""
