"""Pictures of the pages, light and dark, wide and narrow, by a real Chromium: `make screenshots`.

Without --url a platform of its own is started over an empty folder, and closes the loop on scikit-learn's digits first.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from embedded.layout import project_root
from embedded.seaweed import HOST, free_ports
from embedded.setup.browser import find_browser
from motherlode.access import find_token
from motherlode.client import Motherlode

ROOT = project_root()
OUT = ROOT / "docs" / "images"
KEPT = (
    "loop",
    "grid",
    "label",
    "diff",
)  # the documentation shows these, wide; the rest lies in `all/`, which git ignores
SIZES = {"": (1440, 900), "-narrow": (1024, 768)}
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
PATIENCE_SECONDS = 120.0
SETTLE_MS = 700  # thumbnails and the chart's first frame


@dataclass(frozen=True, slots=True)
class Shot:
    """A page, what shows that it is there, and a key that is pressed on it (on its `focus`) before the picture."""

    name: str
    path: str
    ready: str
    key: str = ""
    focus: str = "body"


def main() -> int:
    parser = argparse.ArgumentParser(prog="make screenshots")
    parser.add_argument("--url", help="a running platform; its token is MOTHERLODE_TOKEN or the one in var/token")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    program = find_browser()
    if program is None:
        print("No Chromium on PATH: install it to take pictures.")
        return 1
    (options.out / "all").mkdir(parents=True, exist_ok=True)
    if options.url:
        take_all(options.url, find_token(), program=program, out=options.out)
        return 0
    with own_platform() as (url, token):
        take_all(url, token, program=program, out=options.out)
    return 0


@contextmanager
def own_platform() -> Iterator[tuple[str, str]]:
    """Address and token of a fresh platform with three rounds behind it and a queue that waits."""
    with tempfile.TemporaryDirectory(prefix="motherlode-screenshots-") as folder:
        var, port = Path(folder, "var"), free_ports(1)[0]
        embedded = [sys.executable, "-m", "embedded", "--var", str(var)]
        url = f"http://{HOST}:{port}"
        try:
            subprocess.run([*embedded, "up", "--detach", "--port", str(port)], cwd=ROOT, check=True)
            demo = [sys.executable, "-m", "motherlode", "demo", "--small", "--rounds", "3", "--count", "40"]
            environment = {**os.environ, "MOTHERLODE_VAR": str(var), "MOTHERLODE_URL": url}
            subprocess.run(demo, cwd=ROOT, env=environment, check=True)
            token = (var / "token").read_text().strip()
            with Motherlode(url, token) as client:
                open_queue(client, "mined")
                replay(client, "mined")
                lay_out(client, "mined")
            yield url, token
        finally:
            subprocess.run([*embedded, "down"], cwd=ROOT, check=True)


def open_queue(client: Motherlode, pipeline: str) -> None:
    """Start a round and wait until it waits for labels."""
    client.pipelines.start_round(pipeline)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (turn := client.pipelines.rounds(pipeline)[-1])["state"] != "labelling":
        if time.monotonic() > deadline:
            raise SystemExit(f"round {turn['number']} is still {turn['state']}: {turn['error']}")
        time.sleep(0.5)


def replay(client: Motherlode, pipeline: str) -> None:
    """Back-test two strategies on what the pipeline's annotators labelled, and wait for the curves."""
    found = client.pipelines.get(pipeline)
    learner = {"kind": "probe", "model": f"{found['model']}@production"}
    made = client.backtests.create(found["dataset"], learner=learner, strategies=["margin", "k_center"], seeds=5,
                                   rounds=6, count=15, start=15, target=0.9)  # fmt: skip
    client.jobs.wait(made["job"]["id"])


def lay_out(client: Motherlode, pipeline: str) -> None:
    """Make the map of the pipeline's dataset as its model sees it."""
    found = client.pipelines.get(pipeline)
    client.jobs.wait(client.datasets.map(found["dataset"], model=f"{found['model']}@production")["job"]["id"])


def loop_shots(client: Motherlode) -> list[Shot]:
    """Mining, pipelines and back-tests, as far as there are any."""
    found = [
        Shot("mining", "/app/mining", "tbody tr, .message"),
        Shot("mining-new", "/app/mining/new", "form"),
        Shot("pipelines", "/app/pipelines", "tbody tr, .message"),
        Shot("pipeline-new", "/app/pipelines/new", "form"),
        Shot("backtests", "/app/backtests", "tbody tr, .message"),
        Shot("backtest-new", "/app/backtests/new", "form"),
    ]
    jobs = (job for job in client.mining.all() if job["strategy"]["name"] != "random")
    if job := next((one for one in jobs if one["job"]["state"] == "succeeded"), None):
        path = f"/app/mining/{job['id']}"
        found += [Shot("mining-job", path, ".pick img"), Shot("why", f"{path}?pick=1", ".pick-stage img")]
    if pipeline := next(client.pipelines.all(), None):
        found.append(Shot("pipeline", f"/app/pipelines/{pipeline['id']}", ".rounds tbody tr"))
    if backtest := next((one for one in client.backtests.all() if one["best"]), None):
        found.append(Shot("backtest", f"/app/backtests/{backtest['id']}", ".curve canvas"))
    return found


def shots(client: Motherlode) -> list[Shot]:
    """The pages that this platform has something to show on."""
    found = [
        Shot("home", "/app/", "#serving"),
        Shot("loop", "/app/loop", ".rounds tbody tr, .message"),
        Shot("jobs", "/app/jobs", "tbody tr, .message"),
        Shot("job", "/app/jobs/1", ".facts, .message"),
        Shot("workers", "/app/workers", "[role=meter], .message"),
        Shot("palette", "/app/", "#serving", key="Control+k"),
        Shot("dataset-new", "/app/datasets/new", ".drop-place"),
        Shot("datasets", "/app/datasets", "tbody tr, .message"),
        Shot("queues", "/app/label", "tbody tr, .message"),
    ]
    if dataset := next((one for one in client.datasets.all() if one["head"]), None):
        grid = f"/app/datasets/{dataset['name']}"
        found += [
            Shot("grid", grid, ".tile img"),
            Shot("map", f"{grid}/map", "canvas, .message", key="Enter", focus=".map-legend .facet >> nth=2"),
            Shot("versions", f"{grid}/versions", ".version-more code"),
            Shot("diff", f"{grid}/diff?from=1", ".difference img"),
            Shot("difference", f"{grid}/diff?from=1", ".difference img", key="Enter", focus=".difference >> nth=0"),
            Shot("drawer", f"{grid}?labelled=true", ".tile img", key="Enter", focus=".tile >> nth=0"),
        ]
    found.append(Shot("models", "/app/models", "tbody tr, .message"))
    if model := next((one for one in client.models.all() if one["latest"]), None):
        version = f"/app/models/{model['name']}/{model['latest']}"
        found += [
            Shot("model", f"/app/models/{model['name']}", ".figure-interval"),
            Shot("version", version, ".matrix"),
            Shot(
                "versions-compared", f"/app/models/{model['name']}/compare?a=1&b={model['latest']}", ".matrix, .message"
            ),
            Shot("run", "/app/runs/1", ".run-chart canvas"),
            Shot("runs-compared", "/app/runs/compare?ids=1,2", ".run-chart canvas, .message"),
        ]
    if queue := next((one for one in client.queues.all() if one["state"] == "open"), None):
        desk = f"/app/label/{queue['id']}"
        found += [Shot("label", desk, ".stage img"), Shot("keys", desk, ".stage img", key="?")]
    return found + loop_shots(client) + people_shots(client)


def people_shots(client: Motherlode) -> list[Shot]:
    """Reviews, the team, people and their settings, and what a dataset's classes mean."""
    found = [
        Shot("review", "/app/review", ".review-tile img, .message"),
        Shot("team", "/app/team", "tbody tr, .message"),
        Shot("people", "/app/people", "tbody tr"),
        Shot("settings", "/app/settings", "tbody tr, .message"),
    ]
    if dataset := next((one for one in client.datasets.all() if one["head"]), None):
        found.append(Shot("classes", f"/app/datasets/{dataset['name']}/classes", ".class-row"))
    for queue in client.queues.all():
        if queue["answers_per_task"] > 1:
            found += [
                Shot(f"review-{queue['name']}", f"/app/review/{queue['id']}", ".review-stage img, .message"),
                Shot(f"team-{queue['name']}", f"/app/team?queue={queue['id']}", ".agreement, .message"),
            ]
    return found


def take_all(url: str, token: str, *, program: str, out: Path) -> None:
    """Write one PNG for each page, size and colour scheme."""
    with Motherlode(url, token) as client:
        wanted = [Shot("login", "/app/login", "input"), *shots(client)]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        for scheme in ("light", "dark"):
            for suffix, (width, height) in SIZES.items():
                with signed_in(browser, url, token, scheme=scheme, width=width, height=height) as page:
                    for shot in wanted:
                        folder = out if shot.name in KEPT and not suffix else out / "all"
                        take(page, shot, folder / f"{shot.name}-{scheme}{suffix}.png")
        browser.close()


@contextmanager
def signed_in(browser: Browser, url: str, token: str, *, scheme: str, width: int, height: int) -> Iterator[Page]:
    """A page of the token's owner, in a context of its own."""
    context = browser.new_context(
        base_url=url,
        color_scheme="dark" if scheme == "dark" else "light",
        viewport={"width": width, "height": height},
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto("/app/")
    page.get_by_label("Token").fill(token)
    page.keyboard.press("Enter")
    page.get_by_role("navigation", name="Pages").wait_for()
    yield page
    context.close()


def take(page: Page, shot: Shot, path: Path) -> None:
    """One picture of what a person sees without scrolling."""
    page.goto(shot.path)
    page.locator(shot.ready).first.wait_for()
    page.wait_for_timeout(SETTLE_MS)
    if shot.key:
        page.locator(shot.focus).press(shot.key)
        page.wait_for_timeout(SETTLE_MS)
    page.screenshot(path=path)
    print(f"  {path}  {path.stat().st_size // 1000} kB")


if __name__ == "__main__":
    sys.exit(main())
