"""Work on a page that is not saved yet is not lost, and pages fit the window whatever things are called."""

import re

import pytest
from playwright.sync_api import Page, expect
from tests.journeys.digits import Digits

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser

# By how much a page is wider than the window, in the document and in the part that scrolls.
TOO_WIDE = """() => [document.documentElement, document.querySelector('.content')]
  .map((part) => part.scrollWidth - part.clientWidth)"""


def test_a_long_form_asks_before_it_is_left(page: Page) -> None:
    page.goto("/app/backtests")
    expect(page).to_have_title("Back-tests · Motherlode")
    page.locator("a[href='/app/backtests/new']").first.click()
    expect(page).to_have_title("New back-test · Motherlode")
    page.get_by_label("Name").fill("tried twice")
    page.get_by_role("link", name="Cancel").click()
    asks = page.get_by_role("dialog", name="Leave without saving?")
    expect(asks).to_contain_text("1 unsaved change on this page would be lost")
    asks.get_by_role("button", name="Stay").click()
    expect(page.get_by_label("Name")).to_have_value("tried twice")
    page.go_back()
    asks.get_by_role("button", name="Leave").click()
    expect(page).to_have_title("Back-tests · Motherlode")


def test_a_fault_below_the_window_comes_into_view(page: Page, small: Digits) -> None:
    page.set_viewport_size({"width": 1280, "height": 500})
    page.goto("/app/backtests/new")
    page.get_by_label("Dataset", exact=True).select_option(small.name)
    page.get_by_label("Model", exact=True).select_option(index=1)
    page.get_by_label("Version", exact=True).fill("nonesuch")
    page.get_by_role("button", name="Start the back-test").click()
    expect(page.get_by_role("alert")).to_be_in_viewport()
    page.get_by_label("Version", exact=True).fill("head")
    page.get_by_label("Paired seeds").fill("0")
    page.get_by_role("button", name="Start the back-test").click()
    expect(page.get_by_label("Paired seeds")).to_be_focused()
    page.get_by_label("Paired seeds").fill("3")
    page.get_by_label("Target accuracy, %").fill("150")
    page.get_by_label("Name").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Target accuracy, %")).to_be_focused()
    expect(page.get_by_text("Type a percentage from 0 to 100.")).to_be_in_viewport()


def test_who_changes_classes_is_told_what_stops_and_asked_no_more_once_they_are_saved(
    page: Page, client: Motherlode
) -> None:
    client.datasets.create("washers", classes=["flat", "spring"])
    client.models.create("sorter", classes=["flat", "spring"])
    page.goto("/app/datasets/washers/classes")
    page.get_by_label("Name of a new class").fill("tooth")
    page.keyboard.press("Enter")
    bar = page.get_by_role("region", name="Save")
    expect(bar).to_contain_text("1 model fits this dataset no more (sorter)")
    page.get_by_role("link", name="Versions").click()
    page.get_by_role("dialog", name="Leave without saving?").get_by_role("button", name="Stay").click()
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.get_by_text("Saved as version 2 of the schema")).to_be_visible()
    page.get_by_role("link", name="Versions").click()
    expect(page).to_have_title("washers: Versions · Motherlode")


def test_long_names_leave_room_and_no_page_is_wider_than_the_window(page: Page, client: Motherlode) -> None:
    name, person = "n" * 100, "p" * 150
    client.datasets.create(name, classes=["a"])
    client.people.add(person, role="annotator")
    wide = {}
    for width in (800, 1024, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        for path in ("datasets", "people", "jobs", "models", "pipelines", "backtests", "mining", "workers", "team",
                     "settings", f"datasets/{name}/classes", f"datasets/{name}/versions"):  # fmt: skip
            page.goto(f"/app/{path}")
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            page.wait_for_load_state("networkidle")
            if any(beyond := page.evaluate(TOO_WIDE)):
                wide[path, width] = beyond
    assert not wide
    page.goto("/app/people")
    expect(page.get_by_role("button", name=re.compile(f"^Deactivate {person}"))).to_be_in_viewport()
