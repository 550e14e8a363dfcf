"""From the key that answers to the next image on the screen, over a queue of real digits.

At a pace that nobody keeps up for long, and as fast as keys can be pressed at all: the server then saves on the same
cores what was answered before.
"""

import io

from PIL import Image
from sklearn.datasets import load_digits

from bench.ui.chromium import Meter
from bench.ui.platform import post
from bench.ui.promise import at_most, milliseconds
from bench.versioning.site import Site
from bench.versioning.table import Line, percentiles
from motherlode.archives import write_tar
from motherlode.transport import Upload

PROMISED_MS = 50.0
NAME = "bench-digits"
WARM = 10  # answers before the clock counts: the first ones load and compile
PACE_MS = 100.0
"""From an image to the key that answers it."""
WATCH = """
() => {
  const image = () => document.querySelector('.stage img')
  const before = image().alt
  window.pressed_ = new Promise((shown) => {
    addEventListener('keydown', ({ timeStamp }) => {
      const painted = () => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => shown(performance.now() - timeStamp)
        port2.postMessage(null)
      }
      const look = () => {
        const now = image()
        const there = now !== null && now.alt !== before && now.complete && now.naturalWidth > 0
        requestAnimationFrame(there ? painted : look)
      }
      queueMicrotask(look)
    }, { capture: true, once: true })
  })
}
"""


def measure(site: Site, meter: Meter, count: int) -> list[Line]:
    """Answer `count` images by one key each."""
    queue = _queue(site, 2 * count + WARM + 1)
    meter.page.goto(f"/app/label/{queue}")
    meter.page.locator(".stage img").wait_for()
    paced = [_answer(meter, PACE_MS) for _ in range(count + WARM)][WARM:]
    hurried = [_answer(meter, 0) for _ in range(count)]
    (wall, slow), (_, busy) = (percentiles(values) for values in zip(*paced, strict=True))
    (_, slowest), _ = (percentiles(values) for values in zip(*hurried, strict=True))
    return [
        at_most("key to next image, p50", PROMISED_MS, wall, milliseconds, binds=False),
        at_most("key to next image, p95", PROMISED_MS, slow, milliseconds),
        at_most("  of it CPU of the page, p95", PROMISED_MS, busy, milliseconds),
        at_most("  keys without a pause, p95", PROMISED_MS, slowest, milliseconds, binds=False),
    ]


def _answer(meter: Meter, pause: float) -> tuple[float, float]:
    """Milliseconds by the clock, and of CPU, of a key that is pressed after a pause."""
    meter.page.evaluate(WATCH)
    meter.page.wait_for_timeout(pause)
    before = meter.busy()
    meter.page.keyboard.press("3")
    took: float = meter.page.evaluate("() => window.pressed_")
    return took, meter.busy() - before


def _queue(site: Site, count: int) -> str:
    with site.client() as client:
        client.datasets.create(NAME, classes=[str(digit) for digit in range(10)])
        client.datasets.push(NAME, digits_archive(count), split="pool", allow_near_duplicates=True)
    post(f"{site.url}/labeling/queues", site.token, {"name": NAME, "dataset": NAME, "blind_share": 0.0})
    return NAME


def digits_archive(count: int) -> Upload:
    """So many images of digits, 128 px wide, as a tar."""
    images = enumerate(load_digits().images[:count])
    archive = io.BytesIO()
    write_tar(archive, ((f"{place:04}.png", _png(pixels)) for place, pixels in images))
    return Upload("digits.tar", archive.getvalue(), "application/x-tar")


def _png(pixels: object) -> bytes:
    image = Image.fromarray((pixels * 15.9375).astype("uint8")).resize((128, 128), Image.Resampling.BICUBIC)  # type: ignore[operator,attr-defined]  # an array of scikit-learn, which ships no types
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()
