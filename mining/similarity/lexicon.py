"""The lexicon: vectors that words are compared with beside the backbone's features (`export.words.lexicon` says how
they are made and from which paper)."""

from functools import lru_cache

from blobs.models import Blob
from blobs.services import store
from mining_jobs.scores.backbone import BACKBONE
from similarity.models import Lexicon
from similarity.posterior import Posterior
from similarity.vectors import Description

NAME = "the names of ImageNet's 1,000 classes"
ABOUT = (
    "It knows ImageNet's 1,000 classes by their names: each image is what EfficientNet-Lite0 takes it for, and "
    "your words are compared with those names. It finds what is one of them or is called like one, and is blind to "
    "all else, as to letters, colours, numbers and where things stand."
)


def find_lexicon() -> Lexicon | None:
    """Return the backbone's lexicon; None where no job has made it yet."""
    return Lexicon.objects.select_related("text", "posterior").filter(backbone=BACKBONE).first()


def description_of(lexicon: Lexicon) -> Description:
    """Return the mapping from the backbone's features to vectors of words, by the lexicon's posterior."""
    return Description(lexicon.posterior.sha256, _posterior(lexicon.posterior_id).described)


@lru_cache(maxsize=1)
def _posterior(blob: int) -> Posterior:
    return Posterior.read(store().get(Blob.objects.get(pk=blob).ref))
