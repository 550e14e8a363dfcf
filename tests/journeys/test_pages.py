"""The pages over a real platform: login, datasets, the grid, and a round from its start to its promotion."""

import re

import pytest
from playwright.sync_api import Page, expect
from tests.journeys import digits
from tests.journeys.digits import Digits
from tests.journeys.people import Open
from tests.journeys.site import Site

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser


def test_a_wrong_token_is_refused_in_words_and_the_right_one_leads_where_one_wanted_to_go(
    open_as: Open, platform_site: Site
) -> None:
    page = open_as().page
    page.get_by_role("button", name="sign out").click()
    expect(page.get_by_label("Token")).to_be_visible()
    page.goto("/app/datasets")
    page.get_by_label("Token").fill("ml_wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("does not know this token")
    page.get_by_label("Token").fill(platform_site.token)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Datasets")).to_be_visible()
    assert page.url.endswith("/app/datasets")


def test_a_dataset_shows_in_a_virtual_grid_with_facets_and_a_drawer(page: Page, small: Digits) -> None:
    page.goto("/app/datasets")
    page.get_by_role("link", name=small.name, exact=True).click()
    grid = page.get_by_role("grid", name="Samples")
    expect(page.get_by_text("300 items")).to_be_visible()
    expect(grid.get_by_role("gridcell").first).to_be_visible()
    assert grid.get_by_role("gridcell").count() < 200  # only what is in view, and a little around it
    page.get_by_role("group", name="Split").get_by_role("button", name="test").click()
    page.get_by_role("group", name="Label", exact=True).get_by_role("button", name=re.compile("^3")).click()
    threes = [key for key, name in small.truth.items() if name == "3" and key.startswith("test")]
    expect(page.get_by_text(f"{len(threes)} items")).to_be_visible()
    expect(grid.get_by_role("gridcell")).to_have_count(len(threes))
    grid.get_by_role("gridcell").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    drawer = page.get_by_role("dialog")
    expect(drawer.get_by_role("heading", name=re.compile("test-"))).to_be_visible()
    expect(drawer.get_by_role("img")).to_have_js_property("naturalWidth", 32)
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    expect(grid.get_by_role("gridcell").nth(1)).to_be_focused()


def test_a_round_runs_from_its_start_to_its_promotion_with_labels_by_keyboard(
    open_as: Open, client: Motherlode
) -> None:
    loaded = digits.load(client, "watched")
    digits.pipeline(client, loaded, "rounds", count=50)
    person = open_as()
    page = person.page
    page.goto("/app/pipelines/rounds")
    expect(page.get_by_text("No round has run yet")).to_be_visible()
    page.get_by_role("button", name="Start a round").click()
    rounds = page.get_by_role("table", name=re.compile("Rounds of rounds"))
    expect(rounds.get_by_text("Training", exact=True)).to_be_visible()
    expect(page.get_by_text("Running", exact=True).first).to_be_visible()
    page.get_by_role("link", name="Label 50 more").click(timeout=60_000)

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
    answered = person.label(loaded.truth, count=46)
    expect(page.get_by_role("heading", name=re.compile("All 50 are done|Committed"))).to_be_visible()
    person.wait_until_saved()
    assert first not in answered

    page.goto("/app/pipelines/rounds")
    expect(rounds.get_by_text("Done", exact=True)).to_be_visible(timeout=90_000)
    expect(rounds.get_by_text("50 of 50")).to_be_visible()
    page.get_by_text("The curve in numbers").click()
    numbers = page.locator("details table")
    expect(numbers.get_by_role("rowheader")).to_have_text(["40", "90"])
    labels = {sample["key"]: sample["label"] for sample in client.datasets.samples("watched", split="train")}
    assert len(labels) == 90
    assert {key: label["class"] for key, label in labels.items() if label} == {key: loaded.truth[key] for key in labels}
