"""The lexicon: vectors that words are compared with beside the backbone's features (`export.words.lexicon` says how
they are made and from which paper)."""

from functools import cache, lru_cache

import numpy as np

from blobs.models import Blob
from blobs.services import store
from export.words.class_names import imagenet_classes
from mining_jobs.scores.backbone import BACKBONE
from similarity.models import Lexicon
from similarity.posterior import Posterior
from similarity.ranking import Floats, unit
from similarity.vectors import Description

NAME = "the names of ImageNet's 1,000 classes"
ABOUT = (
    "It knows ImageNet's 1,000 classes by their names: each image is what EfficientNet-Lite0 takes it for, and "
    "your words are compared with those names. It finds what is one of them or is called like one, and is blind to "
    "all else, as to letters, colours, numbers and where things stand."
)
LEAST_KNOWN = 0.56
"""Words are known if a name has this similarity with them (`docs/benchmarks.md`)."""
LEAST_SHARE = 0.7
"""An image is like words if it comes this near to them, as a share of how near the nearest name is."""
SHOWN_NAMES = 5


def find_lexicon() -> Lexicon | None:
    """Return the backbone's lexicon; None where no job has made it yet."""
    return Lexicon.objects.select_related("text", "posterior").filter(backbone=BACKBONE).first()


def description_of(lexicon: Lexicon) -> Description:
    """Return the mapping from the backbone's features to vectors of words, by the lexicon's posterior."""
    return Description(lexicon.posterior.sha256, _posterior(lexicon.posterior_id).described)


def nearest_names(lexicon: Lexicon, text: Floats) -> tuple[list[str], float]:
    """Return the names of the classes that are most like the unit vector of a text, the nearest first, and the
    similarity of the first."""
    near = unit(_posterior(lexicon.posterior_id).names) @ text
    order = np.argsort(-near, kind="stable")[:SHOWN_NAMES]
    return [_first_names()[place] for place in order.tolist()], float(near[order[0]])


@cache
def _first_names() -> list[str]:
    return [names.partition(",")[0] for names in imagenet_classes()]


@lru_cache(maxsize=1)
def _posterior(blob: int) -> Posterior:
    return Posterior.read(store().get(Blob.objects.get(pk=blob).ref))
