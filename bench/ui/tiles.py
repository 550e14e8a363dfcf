"""A dataset's grid of very many tiles: how many are in the page at once, and how smoothly it scrolls."""

from bench.ui.chromium import Meter
from bench.ui.planting import plant
from bench.ui.promise import at_least, at_most, milliseconds, per_second, plain
from bench.versioning.site import Site
from bench.versioning.table import Line

TILES, FPS = 99, 40.0
STEADY = 90  # pixels a frame: a hand at the wheel
SECONDS = 8
NAME = "bench-tiles"
SCROLL = """
async ([step, seconds]) => {
  const grid = document.querySelector('[role=grid]')
  let most = 0
  const end = performance.now() + seconds * 1000
  for (;;) {
    const now = await new Promise(requestAnimationFrame)
    most = Math.max(most, grid.querySelectorAll('[role=gridcell]').length)
    if (now > end) return [most, grid.scrollTop]
    grid.scrollTop += step
  }
}
"""


def load(site: Site, count: int) -> None:
    """The dataset: labelled images in two splits."""
    plant(site, NAME, count)


def measure(meter: Meter, count: int) -> list[Line]:
    """Scroll by hand's speed, and through the whole dataset as fast as it goes."""
    page = meter.page
    page.goto(f"/app/datasets/{NAME}")
    page.get_by_role("gridcell").first.locator("img").wait_for()
    height: float = page.evaluate("() => document.querySelector('[role=grid]').scrollHeight")
    fling = int(height / (SECONDS * 60))
    return _scroll(meter, STEADY, "by hand", count) + _scroll(meter, fling, "from end to end", count)


def _scroll(meter: Meter, step: int, what: str, count: int) -> list[Line]:
    meter.page.evaluate("() => { document.querySelector('[role=grid]').scrollTop = 0 }")
    meter.start_frames()
    before = meter.busy()
    most, reached = meter.page.evaluate(SCROLL, [step, SECONDS])
    busy, frames = meter.busy() - before, meter.frames()
    if reached <= 0:
        raise SystemExit("the grid did not scroll")
    rate = 1000 * len(frames) / sum(frames)
    return [
        at_most(f"{count:,} tiles, {what}: tiles in the page", TILES, most, plain),
        at_least(f"{count:,} tiles, {what}: scrolling", FPS, rate, per_second),
        at_most("  CPU of the page for a frame, mean", 1000 / FPS, busy / max(1, len(frames)), milliseconds),
    ]
