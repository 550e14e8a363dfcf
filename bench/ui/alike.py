"""Similar samples among very many: from a press on a tile's button to the first tile by similarity with its picture.

The embeddings are made here, in clusters, as wide as those of the backbone, and written where a finished job has them:
embedding a million images is the work of workers, not of the page. The search compares the press's sample with all of
them.
"""

import time

import numpy as np

from bench.ui.chromium import Meter
from bench.ui.finding import SCROLL_TO
from bench.ui.planting import plant
from bench.ui.platform import run_script
from bench.ui.promise import at_most, milliseconds
from bench.versioning.site import Site
from bench.versioning.table import Line, percentiles, seconds
from motherlode.errors import MotherlodeError

SIMILAR_MS = 1000.0
NAME = "bench-similar"
PRESSES = 30
WIDTH = 1280
"""Of an embedding by EfficientNet-Lite0."""
PART = 50_000  # rows of a score file
CLUSTERS, SPREAD = 2000, 0.7
PATIENCE_MS = 60_000
AT_ONCE, QUICK_SECONDS = 12, 5.0
"""So many quick answers in a row, and every process of the web has given one."""
# From the press to the frame in which the grid's first tile shows a similarity and has its picture; and from the first
# byte asked of the search to the last of its answer.
FOUND = """
(place) => new Promise((shown) => {
  performance.clearResourceTimings()
  const began = performance.now()
  document.querySelector(`[data-index='${place}'] .tile-similar`).click()
  const look = () => {
    const tile = document.querySelector('[role=grid] [data-index="0"]')
    const image = tile?.querySelector('img')
    if (!tile?.innerText.includes('1.00') || !image?.complete || !image.naturalWidth) return requestAnimationFrame(look)
    const took = performance.now() - began
    const [search] = performance.getEntriesByType('resource').filter(({ name }) => /\\/similar\\?/.test(name))
    shown([took, search.duration])
  }
  requestAnimationFrame(look)
})
"""


def measure(site: Site, meter: Meter, count: int) -> list[Line]:
    """Press the button of tiles all over the grid."""
    plant(site, NAME, count)
    run_script(site, f"from bench.ui.alike import write; write({NAME!r})")
    first = _read(site)
    return [*_presses(meter, count), Line("  the first after a start, which reads the vectors", "", seconds(first))]


def _read(site: Site) -> float:
    """Seconds until a search is answered, the first after a start; then until every process of the web has read the
    vectors, so that all answer as they go on doing."""
    began, first, quick = time.perf_counter(), 0.0, 0
    with site.client() as client:
        while quick < AT_ONCE:
            asked = time.perf_counter()
            try:
                client.datasets.similar(NAME, f"{0:07}.png", limit=1)
            except MotherlodeError as fault:  # some other request reads them
                if fault.code != "embeddings_loading":
                    raise
                quick = 0
                continue
            first = first or time.perf_counter() - began
            quick = quick + 1 if time.perf_counter() - asked < QUICK_SECONDS else 0
    return first


def _presses(meter: Meter, count: int) -> list[Line]:
    page = meter.page
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"/app/datasets/{NAME}")
    rng = np.random.default_rng(0)
    _, *taken = (_press(meter, int(place)) for place in rng.integers(0, count, PRESSES + 1))
    (usual, slow), (usual_search, slow_search) = (percentiles(values) for values in zip(*taken, strict=True))
    what = f"similar among {count:,}: to the first tile"
    return [
        at_most(f"{what}, p50", SIMILAR_MS, usual, milliseconds, binds=False),
        at_most(f"{what}, p95", SIMILAR_MS, slow, milliseconds),
        at_most("  of it the search, p50", SIMILAR_MS, usual_search, milliseconds, binds=False),
        at_most("  of it the search, p95", SIMILAR_MS, slow_search, milliseconds, binds=False),
    ]


def _press(meter: Meter, place: int) -> tuple[float, float]:
    """Milliseconds of a press on the tile at `place` of the whole grid, and of its search."""
    page = meter.page
    page.locator("[data-index='0'] img").wait_for()
    page.evaluate(SCROLL_TO, place)
    page.locator(f"[data-index='{place}'] img").wait_for()
    page.wait_for_load_state("networkidle")
    took, search = page.evaluate(FOUND, place)
    page.get_by_role("button", name="show all samples again").click()
    return took, search


def write(name: str) -> None:
    """Embeddings of all of a dataset's images by the backbone, in a process of the platform."""
    import io

    from blobs.services import keep, keep_bytes
    from catalog.models import Dataset
    from catalog.reading.members import members_of
    from jobs.models import Job
    from mining_jobs.models import Backbone, ScoreFile
    from mining_jobs.scores.backbone import BACKBONE
    from scoring.config import SCORER
    from scoring.table import Scores

    dataset = Dataset.objects.get(name=name)
    assert dataset.head is not None
    network = keep_bytes(b"never run: every sample has its embedding", media_type="application/octet-stream")
    backbone = Backbone.objects.create(name=BACKBONE, onnx=network)
    job = Job.objects.create(kind="embed", title="vectors of a benchmark", state=Job.State.SUCCEEDED,
                             project=dataset.project)  # fmt: skip
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((CLUSTERS, WIDTH), np.float32)
    digests = members_of(dataset.head).md5
    for shard, at in enumerate(range(0, len(digests), PART)):
        md5 = digests[at : at + PART]
        vectors = centres[rng.integers(0, CLUSTERS, len(md5))] + 0.7 * rng.standard_normal(
            (len(md5), WIDTH), np.float32
        )
        data = Scores.of(md5, np.ones((len(md5), 1), np.float32), vectors).to_bytes()
        blob = keep(io.BytesIO(data), media_type="application/octet-stream")
        ScoreFile.objects.create(model_digest=backbone.digest, scorer=SCORER, rows=len(md5), blob=blob, job=job,
                                 shard=shard)  # fmt: skip
