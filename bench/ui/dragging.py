"""Boxes dragged by the mouse, one and then many together, over a photograph with many others that a model suggests."""

import io
import json

from PIL import Image
from sklearn.datasets import load_sample_image

from bench.ui.chromium import Meter
from bench.ui.platform import run_script
from bench.ui.promise import at_most, milliseconds
from bench.versioning.site import Site
from bench.versioning.table import Line, percentiles
from motherlode.archives import write_tar
from motherlode.transport import Upload

PROMISED_MS = 20.0
NAME = "bench-boxes"
CLASSES = ["roof", "tree", "sky", "water"]
WIDTH = 640
STEPS = 240
START, END = (60.0, 60.0), (500.0, 320.0)  # in pixels of the photograph; the least sure box lies around the start
ROWS_BOTTOM = 70.0  # a marquee down to here touches five rows of forty boxes
ROWS_START, ROWS_END = (103.0, 4.0), (103.0, 300.0)  # from a line of a box of the first row
# No call of the API takes suggestions from outside; mining makes them by this rule.
SCRIPT = """
import json
from accounts.models import User
from catalog.models import Revision
from labeling.services import QueueItem, create_queue
boxes = json.loads({boxes!r})
revision = Revision.objects.select_related("sample__dataset").get(sample__dataset__name={name!r})
item = QueueItem(revision.sample_id, {{"model": "bench@1", "boxes": boxes}})
owner, terms = User.objects.get(is_owner=True), {{"blind_share": 0.0}}
create_queue(revision.sample.dataset, {name!r}, items=[item], created_by=owner, terms=terms)
"""


def measure(site: Site, meter: Meter, boxes: int) -> list[Line]:
    """Drag one of `boxes` boxes across the image, then the upper rows of them together."""
    _queue(site, boxes)
    page = meter.page
    page.goto(f"/app/label/{NAME}")
    page.get_by_role("heading", name=f"Shapes 0/{boxes} confirmed").wait_for()
    alone = _drag(meter, START, END)
    page.get_by_role("heading", name=f"Shapes 1/{boxes} confirmed").wait_for()  # it was dragged, not the image
    selected = _select(meter)
    together = _drag(meter, ROWS_START, ROWS_END)
    page.get_by_role("heading", name=f"Shapes {selected + 1}/{boxes} confirmed").wait_for()
    return [
        *_lines(f"drag among {boxes:,} boxes", *alone),
        *_lines(f"drag {selected} of {boxes:,} boxes together", *together),
    ]


def _lines(what: str, frames: list[float], busy: float) -> list[Line]:
    usual, slow = percentiles(frames)
    return [
        at_most(f"{what}, a frame, p50", PROMISED_MS, usual, milliseconds, binds=False),
        at_most(f"{what}, a frame, p95", PROMISED_MS, slow, milliseconds),
        at_most("  CPU of the page for a frame, mean", PROMISED_MS, busy / max(1, len(frames)), milliseconds),
    ]


def _drag(meter: Meter, start: tuple[float, float], end: tuple[float, float]) -> tuple[list[float], float]:
    """The milliseconds of each frame meanwhile, and those of the page's CPU in all."""
    mouse = meter.page.mouse
    (x1, y1), (x2, y2) = _on_page(meter, start), _on_page(meter, end)
    mouse.move(x1, y1)
    mouse.down()
    mouse.move(x1 + 8, y1 + 8)
    meter.start_frames()
    before = meter.busy()
    for step in range(STEPS):
        share = step / STEPS
        mouse.move(x1 + share * (x2 - x1), y1 + share * (y2 - y1))
    busy, frames = meter.busy() - before, meter.frames()
    mouse.up()
    return frames, busy


def _select(meter: Meter) -> int:
    """Draw a marquee around the upper rows; how many boxes it selects."""
    page = meter.page
    page.keyboard.press("Escape")  # what is selected would be dragged with them
    page.keyboard.down("Shift")
    for place, (x, y) in enumerate((_on_page(meter, (1, 1)), _on_page(meter, (WIDTH - 1, ROWS_BOTTOM)))):
        page.mouse.move(x, y)
        (page.mouse.up if place else page.mouse.down)()
    page.keyboard.up("Shift")
    words = page.get_by_role("heading", name="shapes selected").inner_text()
    return int(words.split()[0])


def _queue(site: Site, boxes: int) -> None:
    stream, archive = io.BytesIO(), io.BytesIO()
    Image.fromarray(load_sample_image("china.jpg")).save(stream, "PNG")
    write_tar(archive, [("photograph.png", stream.getvalue())])
    with site.client() as client:
        client.datasets.create(NAME, classes=CLASSES, task="detection")
        client.datasets.push(NAME, Upload("photograph.tar", archive.getvalue(), "application/x-tar"), split="pool")
    run_script(site, SCRIPT.format(name=NAME, boxes=json.dumps([_box(place) for place in range(boxes)])))


def _box(place: int) -> dict[str, object]:
    """Boxes in rows; the first, which is the least sure, lies around the start of the drag."""
    x, y = 4 + place % 40 * 15.5, 4 + place // 40 % 26 * 16
    box = [40, 40, 80, 80] if place == 0 else [x, y, x + 13, y + 13]
    return {"class": CLASSES[place % len(CLASSES)], "box": box, "score": 0.1 if place == 0 else 0.5}


def _on_page(meter: Meter, point: tuple[float, float]) -> tuple[float, float]:
    shown = meter.page.locator(".stage img").bounding_box()
    assert shown is not None
    scale = shown["width"] / WIDTH
    return shown["x"] + point[0] * scale, shown["y"] + point[1] * scale
