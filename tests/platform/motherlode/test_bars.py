"""What a bar says of bytes: small ones too."""

import io

import pytest
from rich.console import Console

from motherlode.bars import StepBars, amount, progress_bars


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (0, "0 bytes"),
        (812, "812 bytes"),
        (999_600, "1 MB"),
        (12_000, "12 kB"),
        (1_234_567, "1.23 MB"),
        (5e15, "5e+03 TB"),
    ],
)
def test_bytes_are_told_in_three_digits(count: float, told: str) -> None:
    assert amount(count) == told


def test_small_images_move_a_bar_too() -> None:
    told = io.StringIO()
    with progress_bars(Console(file=told, width=120, force_terminal=True)) as bars:
        steps = StepBars(bars)
        steps.show("send", 31_200, 62_400)
        steps.show("hash", 7, 100)
    assert "31.2 kB of 62.4 kB" in told.getvalue()
    assert "7/100" in told.getvalue()
