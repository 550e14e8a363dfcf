"""On a phone, by thumb alone: label, look back, undo, skip, pinch; label a grid; decide a review."""

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.journeys import digits, labellers, layout
from tests.journeys.canvas import Point
from tests.journeys.digits import Digits
from tests.journeys.fingers import Fingers
from tests.journeys.people import Open
from tests.journeys.site import Site

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser
THUMB = 44  # px that what a finger presses is high and wide at least
PHONE = 844  # px that the window is high


@dataclass(frozen=True, slots=True)
class Picture:
    """The stage of the workspace, told by its middle."""

    page: Page

    def on_page(self, point: Point) -> Point:
        box = self.page.locator(".stage-scroll").bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2 + point[0], box["y"] + box["height"] / 2 + point[1]


def press(page: Page, target: Locator) -> None:
    """Tap the middle of something that is large enough and can be reached without scrolling."""
    expect(target).to_be_enabled()
    box = target.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= THUMB, (target, box)
    assert box["y"] + box["height"] <= PHONE, (target, box)
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def answer(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name="Classes").get_by_role("button", name=re.compile(rf"\b{name}\b"))


def test_images_are_labelled_looked_back_at_undone_and_skipped(
    open_as: Open, client: Motherlode, small: Digits, platform_site: Site
) -> None:
    queue = digits.queue(client, small, "by-thumb", count=4)
    person = open_as(phone=True)
    page = person.page
    person.sit_down(queue)
    assert layout.faults(page) == []

    Fingers.of(Picture(page)).pinch(((-20, 0), (20, 0)), ((-60, 0), (60, 0)))
    expect(page.get_by_role("button", name="zoom 3×: reset")).to_be_visible()
    assert page.evaluate("visualViewport.scale") == 1
    press(page, page.get_by_role("button", name="zoom 3×: reset"))
    expect(page.get_by_text("zoom 3×")).to_have_count(0)

    first = person.shown()
    press(page, answer(page, "0" if small.truth[first] != "0" else "1"))
    expect(page.get_by_role("img", name=f"Sample {first}", exact=True)).to_have_count(0)
    press(page, page.get_by_role("button", name="Undo", exact=True))
    expect(page.get_by_role("img", name=f"Sample {first}", exact=True)).to_be_visible()
    press(page, answer(page, small.truth[first]))
    expect(page.get_by_role("img", name=f"Sample {first}", exact=True)).to_have_count(0)

    press(page, page.get_by_role("button", name=f"Look again at {first}:"))
    expect(page.get_by_text("Choose another to correct it.")).to_be_visible()
    press(page, page.get_by_role("button", name="Back to the next image"))

    skipped = person.shown()
    press(page, page.get_by_role("button", name="Skip", exact=True))
    for _ in range(2):
        expect(page.get_by_role("img", name=f"Sample {skipped}", exact=True)).to_have_count(0)
        before = person.shown()
        press(page, answer(page, small.truth[before]))
        expect(page.get_by_role("img", name=f"Sample {before}", exact=True)).to_have_count(0)
    person.wait_until_saved()
    assert client.queues.get(queue)["counts"] == {"total": 4, "todo": 0, "leased": 0, "done": 3, "skipped": 1}
    said = platform_site.answers(queue)
    assert said[first] == [small.truth[first]], "what was undone does not count"


def test_a_grid_is_labelled(open_as: Open, client: Motherlode, small: Digits, platform_site: Site) -> None:
    keys = [key for key in small.truth if key.startswith("pool")][:3]
    queue = labellers.make_queue(platform_site, "grid-by-thumb", small.name, keys, kind="grid")
    page = open_as(phone=True).page
    page.goto(f"/app/label/{queue}")
    for key in keys:
        tile = page.get_by_role("list", name="Images of this page").get_by_role("button", name=key)
        tile.tap()
        expect(tile).to_have_attribute("aria-pressed", "true")
        answer(page, small.truth[key]).scroll_into_view_if_needed()
        press(page, answer(page, small.truth[key]))
        expect(tile).to_contain_text(f"{small.truth[key]} ✓")
    assert layout.faults(page) == []
    press(page, page.get_by_role("button", name="Accept the page"))
    expect(page.get_by_role("heading", name="All 3 are done")).to_be_visible()
    assert platform_site.answers("grid-by-thumb") == {key: [small.truth[key]] for key in keys}


def test_a_review_is_decided_and_taken_back(open_as: Open, small: Digits, platform_site: Site) -> None:
    queue = labellers.disputed(platform_site, small, "review-by-thumb", count=2)
    page = open_as(phone=True).page
    page.goto(f"/app/review/{queue}")
    image = page.locator(".review-stage img")
    expect(image).to_be_visible()
    assert layout.faults(page) == []
    alt = image.get_attribute("alt")
    assert alt is not None
    key = alt.removeprefix("Sample ")
    right = page.get_by_role("region", name="Answers").get_by_role("button", name=re.compile(rf"{small.truth[key]}$"))
    for moved_on in (True, False, True):
        if moved_on:
            press(page, right)
            expect(page.get_by_role("img", name=alt, exact=True)).to_have_count(0)
        else:
            expect(page.get_by_text("All decisions saved")).to_be_visible()
            press(page, page.get_by_role("button", name="Undo"))
            expect(page.get_by_role("img", name=alt, exact=True)).to_be_visible()
    expect(page.get_by_text("All decisions saved")).to_be_visible()
    done = labellers.get(platform_site, f"/labeling/reviews?queue={queue}&state=done")["results"]
    assert [(one["sample"]["key"], one["decision"]["class"]) for one in done] == [(key, small.truth[key])]


def test_a_queue_without_reviews_leads_on_within_the_window(open_as: Open, client: Motherlode, small: Digits) -> None:
    queue = digits.queue(client, small, "nothing-to-review", count=1)
    page = open_as(phone=True).page
    page.goto(f"/app/review/{queue}")
    ways = (
        page.get_by_role("link", name="To the queue"),
        page.get_by_role("button", name="Check for new reviews"),
        page.get_by_role("link", name="All reviews"),
    )
    for way in ways:
        expect(way).to_be_in_viewport(ratio=1)
