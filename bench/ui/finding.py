"""A large dataset's grid as people work with it: how soon a filter shows its first tile, and how long it takes to
select a range and to relabel it."""

import re
import time

from playwright.sync_api import Page, expect

from bench.ui.chromium import Meter
from bench.ui.promise import at_most, milliseconds
from bench.ui.tiles import NAME
from bench.versioning.corpus import CLASSES
from bench.versioning.table import Line, percentiles, seconds

FILTER_MS, SELECT_MS = 300.0, 300.0
PREVIEW_SECONDS, COMMIT_SECONDS = 1.0, 10.0
RANGE = 5000
WAIT_MS = 120_000
# From the click to the frame in which the first tile of what was asked for has its picture.
FILTERED = """
([group, name]) => new Promise((shown) => {
  const first = () => document.querySelector('[role=grid] [role=gridcell] img')
  const before = first().src
  const facets = document.querySelector(`aside [role=group][aria-label="${group}"]`)
  const button = [...facets.querySelectorAll('button')].find((one) => one.textContent.startsWith(name))
  const began = performance.now()
  button.click()
  const look = () => {
    const image = first()
    if (image && image.src !== before && image.complete && image.naturalWidth) shown(performance.now() - began)
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})
"""
SCROLL_TO = """
(place) => {
  const grid = document.querySelector('[role=grid]')
  const row = Math.floor(place / Number(grid.ariaColCount))
  grid.scrollTop = (grid.scrollHeight * row) / Number(grid.ariaRowCount) - grid.clientHeight / 2
}
"""


def measure(meter: Meter, count: int) -> list[Line]:
    """On the dataset of `tiles.load`."""
    page = meter.page
    page.goto(f"/app/datasets/{NAME}")
    page.get_by_role("gridcell").first.locator("img").wait_for()
    page.locator("aside").get_by_role(
        "group", name="Label", exact=True
    ).wait_for()  # the tiles are there before it is counted
    return [*_filters(page, count), *_relabel(page, min(RANGE, count // 2))]


def _filters(page: Page, count: int) -> list[Line]:
    """Each class alone, then in the split that is not the first's: nothing that the browser has asked for before."""
    taken = []
    for within in (None, "train"):
        if within is not None:
            taken.append(page.evaluate(FILTERED, ["Split", within]))
        for name in CLASSES[1:]:
            taken.append(page.evaluate(FILTERED, ["Label", name]))
            page.evaluate(FILTERED, ["Label", name])  # taken away, which is no question
    middle, most = percentiles(taken)
    what = f"{count:,} samples: filter to first tile"
    return [
        at_most(f"{what}, p50", FILTER_MS, middle, milliseconds, binds=False),
        at_most(f"{what}, p95", FILTER_MS, most, milliseconds),
    ]


def _relabel(page: Page, length: int) -> list[Line]:
    """`wait_for` looks at each frame, `expect` again after 0.1, 0.35, 0.85 and 1.85 s: no clock stands behind that."""
    grid = page.get_by_role("grid", name="Samples")
    grid.get_by_role("gridcell").first.hover()
    grid.get_by_role("gridcell").first.get_by_role("checkbox").click()
    selection = page.get_by_role("region", name="Selection")
    expect(selection.get_by_role("status")).to_have_text("1 sample selected")
    last = page.locator(f"[data-index='{length - 1}']")
    page.evaluate(SCROLL_TO, length - 1)
    last.wait_for()
    began = time.perf_counter()
    last.get_by_role("checkbox").click(modifiers=["Shift"])
    selection.get_by_text(f"{length:,} samples selected").wait_for(timeout=WAIT_MS)
    selected = time.perf_counter()
    page.keyboard.press("r")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox").fill(CLASSES[3])
    dialog.get_by_text(re.compile(r"samples will change\.")).wait_for(timeout=WAIT_MS)
    told = time.perf_counter()
    dialog.get_by_role("button", name=re.compile("^Relabel ")).click()
    page.get_by_text(re.compile(f"samples relabelled as {CLASSES[3]}")).wait_for(timeout=WAIT_MS)
    done = time.perf_counter()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text(re.compile("^Undone: ")).wait_for(timeout=WAIT_MS)
    undone = time.perf_counter()
    return [
        at_most(f"a range of {length:,} tiles selected", SELECT_MS, 1000 * (selected - began), milliseconds),
        at_most("  what relabelling them changes, told", PREVIEW_SECONDS, told - selected, seconds),
        at_most("  relabelled, as one commit", COMMIT_SECONDS, done - told, seconds),
        at_most("  taken back", COMMIT_SECONDS, undone - done, seconds),
    ]
