"""Similar samples in the browser: from a tile, from a part of an image, from an address somebody sent."""

import base64
import re

import pytest
from playwright.sync_api import Page, expect
from tests.journeys import digits
from tests.journeys.axe import violations
from tests.journeys.digits import Digits
from tests.journeys.people import Open

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser
MINUTES = 4 * 60_000


@pytest.fixture(scope="module")
def alike(client: Motherlode) -> Digits:
    """Digits without a model."""
    return digits.load(client, "alike")


def shown(page: Page, count: int) -> list[str]:
    """The keys of the first tiles."""
    tiles = page.get_by_role("grid", name="Samples").get_by_role("gridcell")
    return [str(tiles.nth(place).get_by_role("img").get_attribute("alt")) for place in range(count)]


def test_a_sample_leads_to_what_is_like_it(open_as: Open, alike: Digits, client: Motherlode) -> None:
    page = open_as().page
    address = f"/app/datasets/{alike.name}"
    page.goto(address)
    tiles = page.get_by_role("grid", name="Samples").get_by_role("gridcell")
    tiles.first.focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog").get_by_text("Find samples similar to this one")).to_be_visible()
    page.keyboard.press("Escape")
    tiles.first.focus()
    page.keyboard.press("s")
    compute = page.get_by_role("button", name="Compute embeddings")
    expect(compute).to_be_visible()
    faults = {"none yet": violations(page)}
    compute.click()
    expect(tiles.first.get_by_text("1.00")).to_be_visible(timeout=MINUTES)
    expect(page.get_by_role("button", name=re.compile(r"^Similar to test-000\.png ?: show all"))).to_be_visible()
    nearest = shown(page, 11)
    assert nearest[0] == "test-000.png"
    right = sum(alike.truth[key] == alike.truth[nearest[0]] for key in nearest[1:])
    assert right >= 5, "one in ten would be chance"
    faults["found"] = violations(page)

    other = open_as().page
    other.goto(f"{address}?similar=test-000.png")
    expect(other.get_by_text("1.00")).to_be_visible()
    assert shown(other, 11) == nearest, "the address that was sent shows the same"

    page.get_by_role("group", name="Split").get_by_role("button", name="train").click()
    expect(tiles).to_have_count(40)
    assert all(key.startswith("train") for key in shown(page, 5))
    page.get_by_role("group", name="Split").get_by_role("button", name="train").click()
    expect(tiles.first.get_by_role("img")).to_have_attribute("alt", "test-000.png")

    tiles.nth(1).click()
    drawer = page.get_by_role("dialog")
    drawer.get_by_role("button", name="Similar to a part").click()
    layer = drawer.get_by_role("application")
    faults["part"] = violations(page)
    box = layer.bounding_box()
    assert box is not None
    middle, top = box["x"] + box["width"] / 2, box["y"]
    page.mouse.move(middle - 80, top + 40)
    page.mouse.down()
    page.mouse.move(middle + 60, top + 200, steps=4)
    page.mouse.up()
    expect(layer).to_have_attribute("aria-label", re.compile(r"^Part of the image: 1\d × 1\d px at "))
    drawer.get_by_role("button", name="Find similar to this part").click()
    chip = page.get_by_role("button", name=re.compile("^Similar to a part of "))
    expect(chip).to_be_visible()
    expect(drawer).to_be_hidden()
    assert re.search(r"crop=\d+(,|%2C)", page.url)
    expect(tiles.first.get_by_text(re.compile(r"^similarity 0\.\d\d"))).to_be_visible()
    chip.click()
    expect(page).to_have_url(re.compile(rf"{address}$"))
    assert {where: found for where, found in faults.items() if found} == {}


def test_words_order_the_grid_say_by_what_and_become_a_slice(open_as: Open, alike: Digits, client: Motherlode) -> None:
    job = client.datasets.embed(alike.name)["job"]
    if job is not None:
        client.jobs.wait(job["id"])
    page = open_as().page
    address = f"/app/datasets/{alike.name}"
    page.goto(address)
    tiles = page.get_by_role("grid", name="Samples").get_by_role("gridcell")
    tiles.first.focus()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.get_by_label("Search by", exact=True).select_option("by meaning")
    field = page.get_by_role("searchbox", name="Search by meaning")
    field.fill("a safety pin")
    field.press("Enter")
    chip = page.get_by_role("button", name=re.compile("^Like “a safety pin”, by ImageNet’s names"))
    expect(chip).to_be_visible()
    expect(tiles.first.get_by_text(re.compile(r"^similarity -?0\.\d\d"))).to_be_visible()
    asked = client.datasets.like_words(alike.name, "a safety pin", limit=5)
    assert shown(page, 5) == [row["key"] for row in asked["results"]]
    page.get_by_text("What this can and can’t find").click()
    assert asked["words"] is not None
    expect(page.get_by_text(asked["words"]["about"])).to_be_visible()
    assert violations(page) == []

    page.get_by_label("The first").fill("5")
    page.get_by_role("button", name="Save these as a slice…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("pins")
    assert violations(page) == []
    dialog.get_by_role("button", name="Save", exact=True).click()
    expect(page).to_have_url(re.compile(r"slice=pins"))
    expect(tiles).to_have_count(5)
    assert sorted(shown(page, 5)) == sorted(row["key"] for row in asked["results"])


def test_samples_that_came_later_are_counted_and_computed_on_a_click(
    open_as: Open, alike: Digits, client: Motherlode
) -> None:
    job = client.datasets.embed(alike.name)["job"]
    if job is not None:
        client.jobs.wait(job["id"])
    image = next(image for digit, image in digits.images()[1000:] if digit == "0")
    late = {"key": "late.png", "data": base64.b64encode(image).decode(), "split": "pool"}
    client.datasets.commit(alike.name, samples=[late])
    page = open_as().page
    page.goto(f"/app/datasets/{alike.name}?similar=late.png")
    expect(page.get_by_text("1 of 301 samples has no embedding yet and is not compared.")).to_be_visible()
    nearest = shown(page, 11)
    assert "late.png" not in nearest
    assert sum(alike.truth[key] == "0" for key in nearest) >= 5, "it is looked for all the same"
    page.get_by_role("button", name="Compute it").click()
    first = page.get_by_role("gridcell").first
    expect(first.get_by_role("img")).to_have_attribute("alt", "late.png", timeout=MINUTES)
    expect(page.get_by_text("no embedding yet")).to_be_hidden()
