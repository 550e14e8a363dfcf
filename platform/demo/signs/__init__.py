"""A detection dataset that a fresh machine can make by itself: traffic signs rendered onto photographs, with exact
boxes."""

from demo.signs.dataset import SignsDataset, signs_dataset

__all__ = ["SignsDataset", "signs_dataset"]
