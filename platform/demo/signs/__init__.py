"""A detection set that a fresh machine makes by itself: traffic signs rendered onto photographs, with exact boxes."""

from demo.signs.dataset import SignsDataset, signs_dataset

__all__ = ["SignsDataset", "signs_dataset"]
