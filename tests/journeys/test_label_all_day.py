"""Labelling as a day's work: fifty images by keyboard, some by mouse, and a grid page by page."""

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.journeys import digits
from tests.journeys.digits import Digits
from tests.journeys.people import Open, Person
from tests.journeys.site import Site

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser
MOST_PAGES = 14  # of 40 images in at most ten clusters


def tab_to(page: Page, target: Locator) -> None:
    """Move the focus by the Tab key alone."""
    for _ in range(60):
        if target.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail("Tab never came to it")


def test_fifty_images_are_labelled_and_committed_by_keyboard_alone(
    open_as: Open, client: Motherlode, small: Digits, platform_site: Site
) -> None:
    queue = digits.queue(client, small, "fifty-by-keyboard", count=50)
    person = open_as()
    page = person.page
    page.goto("/app/label")
    link = page.get_by_role("link", name=f"Label 50 more → in {queue}")
    expect(link).to_be_visible()
    tab_to(page, link)
    page.keyboard.press("Enter")
    keys = person.label(small.truth, count=49)
    last = person.shown()
    page.keyboard.press("Shift+S")
    expect(page.get_by_role("dialog", name="Skip, because…")).to_be_visible()
    page.keyboard.press("1")
    person.wait_until_saved()
    expect(page.get_by_role("heading", name="All 50 are done")).to_be_visible()
    page.keyboard.press("Backspace")
    expect(page.locator(".stage img")).to_have_attribute("alt", f"Sample {last}")
    keys += person.label(small.truth, count=1)
    person.wait_until_saved()
    commit = page.get_by_role("button", name="Commit 50 labels")
    tab_to(page, commit)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Committed as version")).to_be_visible()
    assert platform_site.answers(queue) == {key: [small.truth[key]] for key in keys}
    assert len(keys) == 50


def test_images_are_labelled_by_mouse_with_a_mistake_corrected_on_the_way(
    open_as: Open, client: Motherlode, small: Digits, platform_site: Site
) -> None:
    queue = digits.queue(client, small, "labelled-by-mouse", count=12)
    person = open_as()
    page = person.page
    person.sit_down(queue)
    keys: list[str] = []
    for place in range(12):
        keys.append(person.shown())
        right = small.truth[keys[-1]]
        wrong = str((int(right) + 1) % 10)
        click_class(person, wrong if place == 7 else right)
        if place == 8:
            page.get_by_role("button", name=f"Look again at {keys[7]}").click()
            click_class(person, small.truth[keys[7]])
    person.wait_until_saved()
    expect(page.get_by_role("heading", name="All 12 are done")).to_be_visible()
    assert platform_site.answers(queue) == {key: [small.truth[key]] for key in keys}


def click_class(person: Person, name: str) -> None:
    """Answer with the mouse and wait until another image stands there, or none."""
    before = person.shown()
    person.page.locator(f".classes li:has(.cut:text-is('{name}')) button").click()
    person.page.wait_for_function(
        "before => document.querySelector('.stage img')?.alt !== `Sample ${before}`", arg=before
    )


def test_a_grid_is_accepted_page_by_page_with_only_the_wrong_tiles_corrected_and_the_network_gone_meanwhile(
    open_as: Open, client: Motherlode, small: Digits, platform_site: Site
) -> None:
    queue = digits.mined_queue(client, small, "by-grid", count=40)
    platform_site.change_queue(queue, kind="grid", blind_share=0)
    person = open_as()
    page = person.page
    page.goto(f"/app/label/{queue}")
    tile, done = page.locator(".label-tile").first, page.get_by_role("heading", name="All 40 are done")
    for turn in range(MOST_PAGES):
        expect(tile.or_(done)).to_be_visible()
        if done.is_visible():
            break
        correct_page(page, small)
        if turn == 1:
            page.context.set_offline(True)
        accept_page(page)
        if turn == 1:
            expect(page.get_by_text("Offline — 1 label kept on this computer")).to_be_visible()
            page.context.set_offline(False)
        person.wait_until_saved()
    expect(done).to_be_visible()
    answers = platform_site.answers(queue)
    assert len(answers) == 40
    assert answers == {key: [small.truth[key]] for key in answers}


def correct_page(page: Page, truth: Digits) -> None:
    """Walk over the page with the arrow keys and give each wrong tile its digit."""
    focus, suggested = 0, shown_tiles(page)
    for place, (key, words) in enumerate(suggested):
        right = truth.truth[key]
        if words == f"{right}?":
            continue
        for _ in range(place - focus):
            page.keyboard.press("ArrowRight")
        page.keyboard.press(right)
        focus = min(place + 1, len(suggested) - 1)


def shown_tiles(page: Page) -> list[tuple[str, str]]:
    """Key and words of each tile of the page."""
    look = "tiles => tiles.map(tile => [tile.querySelector('img').alt, tile.querySelector('.cut').textContent])"
    return [(key, words) for key, words in page.locator(".label-tile").evaluate_all(look)]


def accept_page(page: Page) -> None:
    """Accept the page by a key and wait until another one stands there, or none."""
    before = page.locator(".label-tile img").first.get_attribute("alt")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("before => document.querySelector('.label-tile img')?.alt !== before", arg=before)
