"""A map of very many points: how long until it is there, and how smoothly a browser without a GPU moves and zooms it.

The points are made here, in clusters, and written where a finished map has them: laying a million samples out is the
work of a job, not of the page. Their samples are a few real ones, each many times, so that a picture is shown on hover.
"""

from itertools import pairwise

from bench.ui.answering import digits_archive
from bench.ui.chromium import Meter
from bench.ui.platform import run_script
from bench.ui.promise import at_least, at_most, milliseconds, per_second
from bench.versioning.site import Site
from bench.versioning.table import Line, percentiles, seconds

FPS = 30.0
FIRST_SECONDS = 5.0
HOVER_MS = 300.0
NAME = "bench-map"
CLASSES = [f"class {place}" for place in range(24)]
SAMPLES = 200
HOVERS = 12
SECONDS = 4  # of each gesture
# No call of the API takes points from outside; a job makes them. A third of them have no class.
SCRIPT = """
import numpy as np
from accounts.models import User
from catalog.models import Dataset, Split
from jobs.models import Job
from maps.models import EmbeddingMap, MapPoints
from maps.points import NONE, digest_of, packed
count, dataset, owner = {count}, Dataset.objects.get(name={name!r}), User.objects.get(is_owner=True)
version = dataset.versions.order_by("-number").first()
rng = np.random.default_rng(0)
centres = rng.uniform(-0.8, 0.8, (len(dataset.classes), 2))
centres[0] = 0  # where the page is zoomed to and pointed at
group = rng.integers(0, len(centres), count)
xy = centres[group] + rng.normal(0, 0.07, (count, 2)) * rng.uniform(0.3, 1, (count, 1))
ids = np.array(version.revisions.order_by("sample_id").values_list("sample_id", flat=True))
columns = {{
    "xy": np.clip(xy, -1, 1),
    "sample": ids[np.arange(count) % len(ids)],
    "class": np.where(rng.random(count) < 1 / 3, NONE, group),
    "split": rng.integers(0, len(Split.values), count),
}}
told = {{"components": 2, "variance": 1.0, "landmarks": None, "width": 2, "left_out": 0, "seconds": 0.0}}
facts = {{"told": told, "columns": list(columns), "classes": dataset.classes, "predicted": None}}
job = Job.objects.create(kind="map", title="points of a benchmark", state=Job.State.SUCCEEDED, project=dataset.project)
made = EmbeddingMap.objects.create(
    dataset=dataset, version=version, method="pca", seed=count, job=job, created_by=owner, facts=facts
)
data = packed(columns)
MapPoints.objects.create(map=made, count=count, digest=digest_of(data), data=data)
print(made.pk)
"""
# A picture is there when the canvas holds another colour than its ground: the two corners are ground.
FIRST = """
() => new Promise((shown) => {
  const look = () => {
    const canvas = document.querySelector('canvas.map-canvas')
    const { width, height } = canvas ?? { width: 0, height: 0 }
    const drawn = width > 300 && canvas.getContext('2d').getImageData(0, 0, width, height)
    const pixels = drawn && new Uint32Array(drawn.data.buffer)
    if (pixels && pixels.some((pixel) => pixel !== pixels[0])) shown(performance.now())
    else requestAnimationFrame(look)
  }
  look()
})
"""
# One event a frame, as a mouse sends them, from 0 to 1 and back four times. A frame counts when the map is drawn anew,
# not when the browser had nothing to do.
GESTURE = """
async ([x, y, seconds]) => {
  const canvas = document.querySelector('canvas.map-canvas')
  const put = CanvasRenderingContext2D.prototype.putImageData
  const drawn = []
  CanvasRenderingContext2D.prototype.putImageData = function (...given) {
    drawn.push(performance.now())
    return put.apply(this, given)
  }
  const start = performance.now()
  let last = 0
  for (;;) {
    const share = (await new Promise(requestAnimationFrame) - start) / (1000 * seconds)
    if (share > 1) break
    const now = 1 - Math.abs((4 * share) % 1 - 0.5) * 2
    canvas.dispatchEvent(EVENT)
    last = now
  }
  CanvasRenderingContext2D.prototype.putImageData = put
  return drawn
}
"""
DRAG = """
new PointerEvent('pointermove', { bubbles: true, pointerId: 1, clientX: x + 300 * now, clientY: y + 100 * now })
"""
ZOOM = """
new WheelEvent('wheel', { bubbles: true, cancelable: true, clientX: x, clientY: y, deltaY: 1850 * (last - now) })
"""
PICTURED = """
() => new Promise((shown) => {
  const look = () => {
    const picture = document.querySelector('.map-card img')
    if (picture && picture.complete && picture.naturalWidth > 0) shown(performance.now())
    else requestAnimationFrame(look)
  }
  look()
})
"""


def measure(site: Site, meter: Meter, count: int) -> list[Line]:
    """Open, move, zoom and point at maps of a tenth of the points and of all of them."""
    with site.client() as client:
        client.datasets.create(NAME, classes=CLASSES)
        client.datasets.push(NAME, digits_archive(SAMPLES), split="pool", allow_near_duplicates=True)
    return [line for points in (count // 10, count) for line in _one(site, meter, points)]


def _one(site: Site, meter: Meter, count: int) -> list[Line]:
    made = run_script(site, SCRIPT.format(count=count, name=NAME)).split()[-1]
    page = meter.page
    page.goto("about:blank")
    page.goto(f"/app/datasets/{NAME}/map?m={made}", wait_until="commit")
    first: float = page.evaluate(FIRST)
    page.get_by_text("Move", exact=True).click()
    what = f"map of {count:,} points"
    return [
        at_most(f"{what}: to the first picture", FIRST_SECONDS, first / 1000, seconds),
        *_moved(meter, what),
        *_zoomed(meter, what),
        _hovered(meter, what),
    ]


def _moved(meter: Meter, what: str) -> list[Line]:
    """By a hand that drags the whole map to and fro."""
    mouse, (x, y) = meter.page.mouse, _middle(meter)
    mouse.move(x, y)
    mouse.down()
    lines = _frames(meter, f"{what}: moving", DRAG)
    mouse.up()
    _show_all(meter)
    return lines


def _zoomed(meter: Meter, what: str) -> list[Line]:
    """By a wheel, from the whole map to its hundredth part and back, four times."""
    lines = _frames(meter, f"{what}: zooming", ZOOM)
    _show_all(meter)
    return lines


def _frames(meter: Meter, what: str, gesture: str) -> list[Line]:
    before, (x, y) = meter.busy(), _middle(meter)
    drawn: list[float] = meter.page.evaluate(GESTURE.replace("EVENT", gesture.strip()), [x, y, SECONDS])
    busy = meter.busy() - before
    if len(drawn) < 3:
        raise SystemExit("the map did not move")
    intervals = [later - earlier for earlier, later in pairwise(drawn)]
    usual, slow = percentiles(intervals)
    return [
        at_least(what, FPS, 1000 * len(intervals) / sum(intervals), per_second),
        at_most("  from one picture to the next, p50", 1000 / FPS, usual, milliseconds, binds=False),
        at_most("  from one picture to the next, p95", 1000 / FPS, slow, milliseconds, binds=False),
        at_most("  CPU of the page for a picture, mean", 1000 / FPS, busy / len(drawn), milliseconds),
    ]


def _hovered(meter: Meter, what: str) -> Line:
    """From the pointer's move to a point until its picture is there."""
    page, (x, y) = meter.page, _middle(meter)
    took = []
    for place in range(HOVERS):
        page.mouse.move(5, 5)
        page.locator(".map-card").wait_for(state="detached")
        start: float = page.evaluate("() => performance.now()")
        page.mouse.move(x + 2 * place, y)
        took.append(page.evaluate(PICTURED) - start)
    return at_most(f"{what}: a point's picture, p50", HOVER_MS, percentiles(took)[0], milliseconds)


def _show_all(meter: Meter) -> None:
    meter.page.get_by_role("button", name="Show the whole map").click()


def _middle(meter: Meter) -> tuple[float, float]:
    shown = meter.page.locator("canvas.map-canvas").bounding_box()
    assert shown is not None
    return shown["x"] + shown["width"] / 2, shown["y"] + shown["height"] / 2
