"""Named examples: published calculations with their printed figures, to show how far the planner's results differ.

The automotive table is that of the talk of GTC Munich 2018. It prints times, not paces. From them follows, for each
network, how many terabytes one machine trains on in a day to the end (all epochs together). Each printed time allows a
range of paces. With a year of 365 days and digits cut off, not rounded (16.6 printed as 16, 778.7 as 778), the ranges
of all twelve cells meet in one pace for each network, times 20 for a DGX-1V, times the number of machines:

- InceptionV3 on one Pascal GPU: 0.03129 to 0.03131 TB a day, taken as 0.0313; a DGX-1V 0.626
- AlexNet on one Pascal GPU: 0.2462 to 0.2473 TB a day, taken as 0.247; a DGX-1V 4.94

Neither the bytes of a frame, nor images a second, nor epochs are printed: only this product of them can be known.
The page of the DGX POD prints images, epochs and images a second, and the hours that follow.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DAYS_PER_YEAR = 365
INCEPTION, ALEXNET = 0.0313, 0.247
"""TB a day that one Pascal GPU trains on, all epochs together."""
DGX_1V = 20
"""Pascal GPUs that one DGX-1V is worth in the table."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A figure as the source prints it."""

    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Example:
    """A published calculation: the question, the printed figures of `kept` data and of each training in order, and
    `notes`."""

    name: str
    title: str
    source: str
    question: Mapping[str, Any]
    kept: Printed | None
    trainings: tuple[Printed, ...]
    notes: tuple[str, ...]


def _table() -> list[dict[str, Any]]:
    return [
        {
            "architecture": architecture,
            "machine": machine,
            "machines": machines,
            "terabytes_per_day": round(pace * speed, 6),
        }
        for machine, speed, machines in (("Pascal GPU", 1, 1), ("DGX-1V", DGX_1V, 1), ("DGX-1V", DGX_1V, 10))
        for architecture, pace in (("InceptionV3", INCEPTION), ("AlexNet", ALEXNET))
    ]


_RATES = (
    "The talk prints times, not paces. The paces here are worked back from its twelve times: InceptionV3 0.0313 TB a "
    "day on one Pascal GPU (104 TB in 9.1 years), AlexNet 0.247 (104 TB in 1.1 years), all epochs together; a DGX-1V "
    "counts as 20 Pascal GPUs and ten as ten times one. Bytes of a frame, images a second and epochs are not printed.",
    "The talk cuts digits off where others round: 16.6 days are printed as 16, 778.7 as 778. With that, all twelve "
    "times agree with these two paces; the differences shown are against the printed digits.",
)


def _years(*values: float) -> tuple[Printed, ...]:
    return tuple(Printed(value, "years") for value in values)


def _days(*values: float) -> tuple[Printed, ...]:
    return tuple(Printed(value, "days") for value in values)


EXAMPLES: Mapping[str, Example] = {
    example.name: example
    for example in (
        Example(
            "automotive-100-cars",
            "100 cars, 1 TB an hour, 260 days",
            "GTC Munich 2018, automotive table, first column",
            {
                "fleet": {
                    "vehicles": 100,
                    "terabytes_per_hour": 1,
                    "hours_per_day": 8,
                    "days": 260,
                    "share_kept": 0.0005,
                },
                "training": _table(),
            },
            Printed(104, "TB"),
            (*_years(9.1, 1.1), *_days(166, 21, 16, 2.1)),
            _RATES,
        ),
        Example(
            "automotive-125-cars",
            "125 cars, 1.5 TB an hour, 325 days",
            "GTC Munich 2018, automotive table, second column",
            {
                "fleet": {
                    "vehicles": 125,
                    "terabytes_per_hour": 1.5,
                    "hours_per_day": 8,
                    "days": 325,
                    "share_kept": 0.001,
                },
                "training": _table(),
            },
            Printed(487.5, "TB"),
            (*_years(42.6, 5.4), *_days(778, 98, 77, 9.8)),
            (
                "The table prints 0.0008 as the share kept of this column, which gives 390 TB; its 487.5 TB, and all "
                "its times, need 0.001. This example uses 0.001.",
                *_RATES,
            ),
        ),
        Example(
            "dgx-pod",
            "300,000 images, 120 epochs, 480 images a second",
            "DGX POD page",
            {
                "data": {"images": 300_000},
                "training": [
                    {
                        "architecture": "the page's network",
                        "machine": "the page's machine",
                        "images_per_second": 480,
                        "epochs": 120,
                    }
                ],
            },
            None,
            (Printed(20.8, "hours"),),
            ("300,000 images × 120 epochs at 480 images a second are 75,000 seconds: 20.83 hours, printed as 20.8.",),
        ),
    )
}
