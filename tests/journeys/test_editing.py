"""Fixing a dataset in its grid: a range is selected, relabelled and undone, moved, queued; by mouse, keys and thumb."""

import re
from collections import Counter

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.journeys import axe, digits
from tests.journeys.digits import Digits
from tests.journeys.people import Open
from tests.journeys.picking import pick

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def mended(client: Motherlode) -> Digits:
    """Digits that nobody else changes."""
    return digits.load(client, "mended")


def open_grid(page: Page, loaded: Digits, search: str = "") -> Locator:
    page.goto(f"/app/datasets/{loaded.name}{search}")
    grid = page.get_by_role("grid", name="Samples")
    expect(grid.get_by_role("checkbox").first).to_be_attached()
    return grid


def labels(client: Motherlode, loaded: Digits) -> dict[str, tuple[object, str, str]]:
    rows = client.datasets.samples(loaded.name)
    return {row["key"]: (row["label"] and row["label"]["class"], row["label_source"], row["split"]) for row in rows}  # type: ignore[misc,typeddict-item]  # of classes


def test_a_range_of_tiles_that_are_not_loaded_is_relabelled_and_undone(
    page: Page, client: Motherlode, mended: Digits
) -> None:
    before = labels(client, mended)
    grid = open_grid(page, mended)
    first = grid.get_by_role("gridcell").first
    first.hover()
    first.get_by_role("checkbox").click()
    selection = page.get_by_role("region", name="Selection")
    expect(selection.get_by_role("status")).to_have_text("1 sample selected")
    page.keyboard.press("Shift+End")
    expect(selection.get_by_role("status")).to_have_text("300 samples selected")
    last = page.locator("[data-index='299']")
    last.get_by_role("checkbox").click()
    expect(selection.get_by_role("status")).to_have_text("299 samples selected")

    page.keyboard.press("r")
    dialog = page.get_by_role("dialog", name="Relabel 299 samples")
    dialog.get_by_role("combobox").fill("7")
    keys = [*before][:299]
    same = sum(before[key][0] == "7" for key in keys)
    pool = sum(before[key][2] == "pool" for key in keys)
    expect(dialog.get_by_text(f"{299 - same} of 299 samples will change.")).to_be_visible()
    expect(dialog.get_by_text(f"{pool} go from pool to train.")).to_be_visible()
    assert axe.violations(page) == []
    dialog.get_by_label("Message").fill("All sevens")
    dialog.get_by_role("button", name=f"Relabel {299 - same} samples").click()
    toast = page.get_by_text(f"{299 - same} samples relabelled as 7")
    expect(toast).to_be_visible()
    expect(last).to_contain_text("pool")
    now = labels(client, mended)
    assert Counter(now[key][0] for key in keys) == {"7": 299}
    assert {now[key][1] for key in keys if before[key][0] != "7"} == {"human"}
    assert now[[*before][299]] == before[[*before][299]]
    newest = next(client.datasets.versions(mended.name))
    assert (newest["message"], newest["updated"]) == ("All sevens", 299 - same)

    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text(f"Undone: {299 - same} samples as before")).to_be_visible()
    assert labels(client, mended) == before


def test_what_a_filter_shows_is_moved_at_once_and_somebody_elses_commit_stands_against_undo(
    page: Page, client: Motherlode, mended: Digits
) -> None:
    grid = open_grid(page, mended, "?split=train")
    expect(page.get_by_text("40 items")).to_be_visible()
    grid.get_by_role("gridcell").first.focus()
    page.keyboard.press("Control+a")
    expect(page.get_by_role("region", name="Selection").get_by_role("status")).to_contain_text("40 samples selected")
    page.keyboard.press("m")
    page.get_by_role("dialog").get_by_label("Split").select_option("val")
    page.get_by_role("button", name="Move 40 samples").click()
    expect(page.get_by_text("40 samples moved to val")).to_be_visible()
    expect(page.get_by_text("No sample matches")).to_be_visible()
    client.datasets.commit(mended.name, labels={"train-003.png": {"class": "1"}})
    page.get_by_role("button", name="Undo").click()
    expect(
        page.get_by_text(re.compile("Not undone. 1 sample of version .* changed again since, like 'train-003.png'"))
    ).to_be_visible()
    assert Counter(split for _, _, split in labels(client, mended).values())["val"] == 40


def test_the_drawer_relabels_its_sample_by_keys(page: Page, client: Motherlode, mended: Digits) -> None:
    grid = open_grid(page, mended, "?split=test")
    grid.get_by_role("gridcell").first.focus()
    page.keyboard.press("Enter")
    drawer = page.get_by_role("dialog", name="test-000.png")
    expect(drawer.get_by_text("import", exact=True).first).to_be_visible()  # a key pressed before is the grid's
    wrong = "8" if mended.truth["test-000.png"] != "8" else "3"
    page.keyboard.press("r")
    dialog = page.get_by_role("dialog", name="Relabel 1 sample")
    dialog.get_by_role("combobox").fill(wrong)
    expect(dialog.get_by_role("button", name="Relabel 1 sample")).to_be_enabled()
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"1 sample relabelled as {wrong}")).to_be_visible()
    expect(drawer.get_by_text("a person")).to_be_visible()
    assert labels(client, mended)["test-000.png"] == (wrong, "human", "test")
    page.keyboard.press("Control+z")
    expect(page.get_by_text("Undone: 1 sample as before")).to_be_visible()
    expect(drawer.get_by_text("import", exact=True).first).to_be_visible()
    assert labels(client, mended)["test-000.png"] == (mended.truth["test-000.png"], "import", "test")


def test_a_thumb_selects_a_range_and_sends_it_to_a_queue(open_as: Open, client: Motherlode, mended: Digits) -> None:
    page = open_as(phone=True).page
    grid = open_grid(page, mended, "?split=pool")
    grid.get_by_role("checkbox", name="Select pool-001.png").tap()
    selection = page.get_by_role("region", name="Selection")
    selection.get_by_role("button", name="Select a range").tap()
    grid.get_by_role("gridcell").nth(3).tap()
    expect(selection.get_by_role("status")).to_have_text("3 samples selected")
    assert axe.violations(page) == []
    for words in (
        "3 samples in the new queue mended-selection",
        "0 samples added to mended-selection. 3 were in it already",
    ):
        selection.get_by_role("button", name=re.compile("^Queue")).tap()
        dialog = page.get_by_role("dialog")
        if words.startswith("0"):
            pick(dialog.get_by_label("Queue", exact=True), "mended-selection")
        dialog.get_by_role("button", name="Send").tap()
        expect(page.get_by_text(words)).to_be_visible()
    tasks = client.queues.get("mended-selection")["counts"]
    assert tasks["total"] == 3
