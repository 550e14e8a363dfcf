"""The numbers a plan is calculated from: their units, their bounds, and what to type instead of a wrong one.

This is their only declaration: the API's serializers and the command line are built from it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NAME_LENGTH = 60
LEAST = 1e-6


class PlanError(ValueError):
    """Some input can't be used; `errors` maps each field (`fleet.days`) to what is wrong with it and how to mend it."""

    code = "plan_invalid"

    def __init__(self, errors: Mapping[str, Sequence[str]]) -> None:
        super().__init__("; ".join(f"{name}: {words}" for name, told in errors.items() for words in told))
        self.errors = {name: list(words) for name, words in errors.items()}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number from `least` to `most`; `fix` names a usual one."""

    unit: str
    most: float
    words: str
    fix: str
    whole: bool = False

    @property
    def least(self) -> float:
        """A millionth, or 1 for counted things: dividing by less gives numbers that a float can't hold."""
        return 1 if self.whole else LEAST

    def fault(self, value: Any) -> str | None:
        """Return what is wrong with a given value; None if nothing is."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"must be a number, {self.fix}"
        if not math.isfinite(value) or not self.least <= value <= self.most:
            return f"must be a number from {_written(self.least)} to {_written(self.most)}, {self.fix}"
        if self.whole and value != int(value):
            return f"must be a whole number, {self.fix}"
        return None


def _written(value: float) -> str:
    return f"{value:,.6f}".rstrip("0").rstrip(".")


GROUPS: dict[str, dict[str, Quantity]] = {
    "fleet": {
        "vehicles": Quantity("vehicles", 1e7, "recording vehicles", "such as 100", whole=True),
        "terabytes_per_hour": Quantity(
            "TB/h", 1e3, "data that one vehicle records in an hour (1 TB is 10^12 bytes)", "such as 1"
        ),
        "hours_per_day": Quantity("h", 24, "hours driven on a day", "such as 8"),
        "days": Quantity("d", 36_500, "days driven in all", "such as 260"),
        "share_kept": Quantity(
            "", 1, "share of the recorded data that is kept, above 0 and at most 1", "such as 0.0005 for 0.05 %"
        ),
    },
    "data": {
        "terabytes": Quantity("TB", 1e9, "kept data (instead of a fleet)", "such as 104"),
        "images": Quantity("images", 1e15, "kept images", "such as 300000", whole=True),
        "image_bytes": Quantity("B", 1e12, "size of one kept image", "such as 200000"),
        "proxy_bytes": Quantity("B", 1e9, "size of the small copy of an image that scoring reads", "such as 25000"),
        "copies": Quantity("copies", 100, "stored copies of the kept data", "such as 3", whole=True),
    },
    "scoring": {
        "images_per_second": Quantity("images/s", 1e9, "pace of one scoring worker", "such as 500"),
        "workers": Quantity("workers", 1e6, "scoring workers in parallel", "such as 4", whole=True),
    },
    "labeling": {
        "labels": Quantity("labels", 1e12, "labels needed", "such as 5000", whole=True),
        "share": Quantity("", 1, "share of the images to label (instead of `labels`)", "such as 0.01 for 1 %"),
        "answers_per_label": Quantity("answers", 100, "answers by different people for one label", "such as 1"),
        "labels_per_hour": Quantity("labels/h", 1e6, "pace of one annotator", "such as 400"),
        "hours_per_day": Quantity("h", 24, "hours that an annotator labels on a day", "such as 6"),
        "days": Quantity("d", 36_500, "days until the labels are done; by default `target_days`", "such as 10"),
    },
    "network": {
        "gigabits_per_second": Quantity(
            "Gbit/s", 1e6, "bandwidth of the line that carries the kept data", "such as 10"
        ),
        "days": Quantity("d", 36_500, "days of transfer; by default the days of the fleet", "such as 260"),
    },
    "prices": {
        "terabyte_month": Quantity("", 1e9, "price of storing one terabyte for a month", "such as 20"),
        "months": Quantity("months", 1200, "months of storage", "such as 12"),
        "machine_hour": Quantity("", 1e9, "price of one training machine for an hour", "such as 30"),
        "worker_hour": Quantity("", 1e9, "price of one scoring worker for an hour", "such as 2"),
        "label": Quantity("", 1e9, "price of one answer", "such as 0.05"),
        "annotator_hour": Quantity("", 1e9, "price of one annotator for an hour", "such as 25"),
    },
}
SETUP: dict[str, Quantity] = {
    "images_per_second": Quantity("images/s", 1e9, "pace of training on one machine", "such as 480"),
    "terabytes_per_day": Quantity(
        "TB/d", 1e9, "data that one machine trains on in a day, all epochs included (instead of `images_per_second`)",
        "such as 0.626",
    ),
    "epochs": Quantity("epochs", 1e5, "epochs of the training", "such as 120"),
    "machines": Quantity("machines", 1e6, "machines in parallel, which divide the time", "such as 10", whole=True),
}  # fmt: skip
TARGET_DAYS = Quantity("d", 36_500, "days until training and scoring should end", "such as 7")
MOST_SETUPS = 50
CURRENCY_LENGTH = 12
