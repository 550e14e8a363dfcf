"""Every part of the loop in view: a round from its start to its promotion, a dataset out of a dropped folder, a lasso
on its map, jobs, workers."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import FloatRect, Page, Route, expect
from tests.journeys import digits, labellers
from tests.journeys.axe import violations
from tests.journeys.canvas import Point
from tests.journeys.digits import Digits
from tests.journeys.fingers import Fingers
from tests.journeys.people import Open
from tests.journeys.picking import pick
from tests.journeys.site import Site

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser
MADE_MS = 120_000


@pytest.fixture(scope="module")
def mapped(client: Motherlode, small: Digits) -> int:
    """A map of them by their pixels."""
    made = client.datasets.map(small.name, features="pixels", method="pca")
    client.jobs.wait(made["job"]["id"], poll=0.1)
    return made["id"]


def drop(page: Page, folder: Path) -> None:
    """Drop a real folder on the middle of the page, as the browser itself does it."""
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 700, "y": 300, "data": data})


def test_a_round_runs_from_its_start_to_its_promotion_with_labels_by_keyboard(
    open_as: Open, client: Motherlode
) -> None:
    loaded = digits.load(client, "watched")
    digits.pipeline(client, loaded, "rounds", count=12)
    person = open_as()
    page = person.page
    page.goto("/app/pipelines/rounds")
    expect(page.get_by_text("No rounds yet")).to_be_visible()
    page.get_by_role("button", name="Start a round").click()
    rounds = page.get_by_role("table", name=re.compile("Rounds of rounds"))
    expect(rounds.get_by_text("Training", exact=True)).to_be_visible()
    expect(page.get_by_text("Running", exact=True).first).to_be_visible()
    page.get_by_role("link", name="Label 12 more").click(timeout=200_000)

    first, wrong = person.label(loaded.truth, count=1)[0], person.shown()
    person.press(str((int(loaded.truth[wrong]) + 1) % 10))
    person.label(loaded.truth, count=2)
    page.keyboard.press("ArrowLeft")  # look back past the two right ones to the wrong one
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert person.shown() == wrong
    person.press(loaded.truth[wrong])
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    taken_back = person.label(loaded.truth, count=1)[0]
    person.press("Backspace")
    assert person.shown() == taken_back
    answered = person.label(loaded.truth, count=8)
    expect(page.get_by_role("heading", name=re.compile("All 12 are done|Committed"))).to_be_visible()
    person.wait_until_saved()
    assert first not in answered

    page.goto("/app/pipelines/rounds")
    expect(rounds.get_by_text("Done", exact=True)).to_be_visible(timeout=200_000)
    expect(rounds.get_by_text("12 of 12")).to_be_visible()
    page.get_by_text("The curve in numbers").click()
    numbers = page.locator("details table")
    expect(numbers.get_by_role("rowheader")).to_have_text(["40", "52"])
    assert violations(page) == []
    page.goto("/app/loop")
    expect(page.locator("#rounds")).to_be_visible()
    assert violations(page) == []
    labels = {sample["key"]: sample["label"] for sample in client.datasets.samples("watched", split="train")}
    assert len(labels) == 52
    assert {key: label.get("class") for key, label in labels.items() if label} == {
        key: loaded.truth[key] for key in labels
    }


def test_a_dropped_folder_becomes_a_dataset_over_a_lost_connection(
    page: Page, client: Motherlode, tmp_path: Path
) -> None:
    folder = tmp_path / "My Digits"
    for number, (digit, png) in enumerate(digits.images()[:150]):
        place = folder / ("test" if number < 30 else "train") / f"no-{digit}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number:03}.png").write_bytes(png)
    (folder / "train" / "no-1" / "broken.png").write_bytes(b"no picture")
    (folder / "readme.md").write_text("left at home")
    faults = iter(range(2))

    def lose(route: Route) -> None:
        if next(faults, None) is None:
            route.continue_()
        else:
            route.abort("connectionreset")

    page.route("**/uploads", lose)
    page.goto("/app/datasets")
    page.get_by_role("link", name="Create a dataset").click()
    expect(page.get_by_text("Drop a folder of images or an archive here")).to_be_visible()
    drop(page, folder)
    expect(page.get_by_role("heading", name="Found: 151 images")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value("my-digits")
    expect(page.get_by_label("Classes")).to_have_value(re.compile("no-0\nno-1\n"))
    page.get_by_role("button", name="Create it with 151 images").click()
    expect(page.get_by_text("The upload resumes when the connection is back")).to_be_visible()
    expect(page.get_by_text("Version 1:")).to_be_visible(timeout=MADE_MS)
    expect(page.get_by_role("list", name="Not taken")).to_contain_text("broken.png")
    page.get_by_role("link", name="To the dataset").click()
    expect(page.get_by_role("gridcell").first).to_be_visible()
    counts = client.datasets.get("my-digits")["counts"]
    assert (counts["samples"], counts["labelled"]) == (150, 150)
    assert counts["by_split"]["test"] == 30


def test_a_lasso_on_the_map_makes_a_queue_and_its_legend_a_slice_that_mining_begins_with(
    page: Page, client: Motherlode, small: Digits
) -> None:
    page.goto(f"/app/datasets/{small.name}/map")
    page.get_by_role("button", name="New map…").click()
    pick(page.get_by_role("dialog").get_by_label("Features from"), f"{small.model} v1")
    page.get_by_role("dialog").get_by_label("Layout").select_option("pca")
    page.get_by_role("dialog").get_by_role("button", name="Create the map").click()
    surface = page.get_by_role("application", name=re.compile("Map of 300 samples"))
    expect(surface).to_be_visible(timeout=MADE_MS)

    legend, selection = page.get_by_role("region", name="Legend"), page.get_by_role("region", name="Selection")
    pressed = legend.get_by_role("button", name=re.compile("^3"))
    pressed.focus()
    page.keyboard.press("Enter")
    threes = sum(1 for _ in client.datasets.samples(small.name, label="3"))
    expect(selection.get_by_role("heading")).to_have_text(f"{threes} samples selected")
    expect(selection.get_by_role("img")).to_have_count(threes)
    page.keyboard.press("Enter")
    expect(selection).to_contain_text("Nothing is selected")

    surface.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".map-card img")).to_be_visible()
    page.keyboard.press("Space")
    expect(selection.get_by_role("heading")).to_have_text("1 sample selected")
    page.keyboard.press("Escape")
    expect(selection).to_contain_text("Nothing is selected")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Tool: lasso")
    page.keyboard.press("Escape")
    before = page.evaluate("() => document.querySelector('canvas.map-canvas').toDataURL()")
    page.keyboard.press("d")
    page.keyboard.press("d")
    expect(page.get_by_role("combobox", name="Show")).to_have_value("density")
    page.wait_for_function("before => document.querySelector('canvas.map-canvas').toDataURL() !== before", arg=before)
    page.keyboard.press("d")
    page.keyboard.press("Home")

    box = surface.bounding_box()
    assert box is not None
    corners = [(0.02, 0.02), (0.98, 0.02), (0.98, 0.98), (0.02, 0.98)]
    page.mouse.move(box["x"] + corners[0][0] * box["width"], box["y"] + corners[0][1] * box["height"])
    page.mouse.down()
    for x, y in corners[1:]:
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=5)
    page.mouse.up()
    expect(selection.get_by_role("heading")).to_have_text("300 samples selected")
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name="Send to a queue…").click()
    page.get_by_role("dialog").get_by_label("Name of the queue").fill("lassoed")
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    expect(page.get_by_role("img", name="Sample ")).to_be_visible()
    assert client.queues.get("lassoed")["counts"]["total"] == 300

    page.goto(f"/app/datasets/{small.name}/map")
    page.get_by_label("Colour by").select_option("split")
    page.get_by_role("region", name="Legend").get_by_role("button", name=re.compile("^pool")).click()
    page.get_by_role("button", name="Mine among them…").click()
    page.get_by_role("dialog").get_by_label("Name of the slice").fill("all-of-it")
    page.get_by_role("dialog").get_by_role("button", name="Save and continue").click()
    expect(page.get_by_label("Dataset", exact=True)).to_have_value(small.name)
    expect(page.get_by_label("Part of the pool")).to_have_value("slice all-of-it")
    page.goto(f"/app/datasets/{small.name}?slice=all-of-it")
    pool = client.datasets.get(small.name)["counts"]["by_split"]["pool"]
    expect(page.get_by_text(f"{pool} items")).to_be_visible()


@dataclass(frozen=True, slots=True)
class TouchedMap:
    """A map; places are from its upper left corner."""

    page: Page

    def box(self) -> FloatRect:
        found = self.page.locator("canvas.map-canvas").bounding_box()
        assert found is not None
        return found

    def on_page(self, point: Point) -> Point:
        return self.box()["x"] + point[0], self.box()["y"] + point[1]


def test_on_a_phone_a_tap_on_the_map_shows_the_picture_and_two_fingers_zoom(
    open_as: Open, small: Digits, mapped: int
) -> None:
    page = open_as(phone=True).page
    page.goto(f"/app/datasets/{small.name}/map?m={mapped}")
    page.locator("canvas.map-canvas").scroll_into_view_if_needed()
    surface = TouchedMap(page)
    fingers, ring, name = Fingers.of(surface), page.locator(".map-ring"), page.locator(".map-card a")
    x, y = surface.box()["width"] / 2, surface.box()["height"] / 2
    fingers.tap((x + 30, y + 20))
    expect(name).to_be_visible()
    shown, found = name.inner_text(), ring.bounding_box()
    assert found is not None
    dx = found["x"] + found["width"] / 2 - surface.on_page((x, y))[0]
    dy = found["y"] + found["height"] / 2 - surface.on_page((x, y))[1]
    fingers.pinch(((x - 40, y), (x + 40, y)), ((x - 80, y), (x + 80, y)))
    expect(name).to_have_count(0)
    fingers.tap((x + 2 * dx, y + 2 * dy))
    expect(name).to_have_text(shown)
    expect(page.get_by_role("region", name="Selection")).to_contain_text("Nothing is selected")
    name.tap()
    expect(page.get_by_role("dialog")).to_be_visible()  # the sample is open


def test_the_cut_of_a_mining_job_moves_by_keys_and_queues_what_it_leaves(
    page: Page, client: Motherlode, small: Digits
) -> None:
    job = client.mining.create(small.name, model=f"{small.model}@1", strategy="margin", count=20, control=0.2)
    client.jobs.wait(job["job"]["id"], poll=0.1)
    page.goto(f"/app/mining/{job['id']}")
    cut = page.get_by_role("slider", name="Cut")
    expect(page.get_by_text("16 of 16 picks")).to_be_visible()
    cut.focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    told = page.get_by_text(re.compile(r"^(\d+) of 16 picks"))
    expect(told).not_to_have_text(re.compile("^16 of"))
    kept = int(told.inner_text().split(" ")[0])
    assert 1 <= kept <= 10
    page.get_by_role("button", name="Send these to a queue…").click()
    expect(page.get_by_role("dialog")).to_contain_text("Sends only the picks with a score of")
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    expect(page.get_by_role("img", name="Sample ")).to_be_visible()
    assert client.queues.get(f"mining-{job['id']}")["counts"]["total"] == kept + 4


def test_jobs_are_found_opened_and_the_workers_that_do_them_are_shown(
    page: Page, client: Motherlode, small: Digits
) -> None:
    page.goto("/app/jobs")
    page.get_by_label("Search jobs").fill(small.model)
    page.get_by_label("Kind", exact=True).select_option("train")
    rows = page.get_by_role("table", name="Jobs").get_by_role("row")
    expect(rows).to_have_count(1 + sum(run["model"] == small.model for run in client.runs.all()))
    rows.nth(1).get_by_role("link").first.click()
    expect(page.get_by_role("table", name=re.compile("^Shards of"))).to_be_visible()
    expect(page.get_by_role("list", name=re.compile("^Last lines"))).to_be_visible()
    page.get_by_role("link", name="Open what the job belongs to").click()
    expect(page.get_by_role("heading", name=re.compile("^Run"))).to_be_visible()
    page.goto("/app/workers")
    expect(page.get_by_role("meter", name="CPU")).to_be_visible()
    expect(page.get_by_role("table", name=re.compile("^Workers of")).get_by_role("row").nth(1)).to_be_visible()
    expect(page.get_by_role("table", name="Work queues")).to_be_visible()


def test_my_work_leads_to_what_waits(open_as: Open, platform_site: Site, client: Motherlode, small: Digits) -> None:
    # Fuller than what other journeys may have left, before somebody who has labelled nowhere yet: it stands on top.
    digits.queue(client, small, "waiting", count=100)
    page = open_as(labellers.add_person(platform_site, "waited-for")).page
    page.goto("/app/")
    page.get_by_role("region", name="To label now").get_by_role("link", name="100 more → in waiting").click()
    expect(page.get_by_role("img", name="Sample ")).to_be_visible()


def test_no_page_breaks_a_rule(open_as: Open, client: Motherlode, small: Digits, mapped: int) -> None:
    page = open_as().page
    run = next(run for run in client.runs.all() if run["model"] == small.model)
    found = {}
    for path, ready in {
        "/app/": "#label-now",
        "/app/loop": ".page",
        "/app/datasets/new": ".drop-place",
        "/app/jobs": "tbody tr",
        f"/app/jobs/{run['job']['id']}": ".log",
        "/app/workers": "[role=meter]",
        f"/app/datasets/{small.name}/map?m={mapped}": "canvas",
    }.items():
        page.goto(path)
        expect(page.locator(ready).first).to_be_visible()
        if path.endswith(f"m={mapped}"):
            page.get_by_role("region", name="Legend").get_by_role("button").first.click()
            expect(page.locator(".map-picture img").first).to_be_visible()
        found[path] = violations(page)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("option").first).to_be_visible()
    found["palette"] = violations(page)
    assert {where: faults for where, faults in found.items() if faults} == {}
