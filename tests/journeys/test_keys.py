"""Keys of every page: the list of them, the letters of the pages, and keys that somebody set."""

import re

import pytest
from playwright.sync_api import expect
from tests.journeys import digits
from tests.journeys.axe import violations
from tests.journeys.digits import Digits
from tests.journeys.people import Open

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser


def test_two_letters_lead_to_a_page_and_a_text_field_keeps_its_letters(open_as: Open, small: Digits) -> None:
    page = open_as().page
    page.goto("/app/datasets")
    expect(page.get_by_role("link", name=small.name, exact=True)).to_be_visible()
    hint = page.get_by_role("status", name="Go to a page")
    page.keyboard.press("g")
    expect(hint).to_contain_text("M Models")
    assert violations(page) == []
    page.keyboard.press("m")
    expect(page.get_by_role("heading", name="Models")).to_be_visible()
    expect(hint).to_be_hidden()
    for letters, path in {"gw": "/app/?", "gs": "/app/settings", "ge": "/app/people", "gj": "/app/jobs"}.items():
        for letter in letters:
            page.keyboard.press(letter)
        page.wait_for_url(re.compile(f"{path}$"))
    page.keyboard.press("g")
    page.keyboard.press("x")  # no page has it: nothing happens, and the next letter is an ordinary key again
    expect(hint).to_be_hidden()
    page.keyboard.press("m")
    assert page.url.endswith("/app/jobs")
    search = page.get_by_role("searchbox").first
    search.focus()
    page.keyboard.type("gm")
    expect(search).to_have_value("gm")
    assert "/app/jobs" in page.url


def test_while_a_page_is_chosen_nothing_is_answered_and_the_list_of_keys_knows_the_workspace(
    open_as: Open, client: Motherlode, small: Digits
) -> None:
    queue = digits.queue(client, small, "left-by-key", count=3)
    person = open_as()
    person.sit_down(queue)
    page, first = person.page, person.shown()
    page.keyboard.press("g")
    page.keyboard.press("3")
    assert person.shown() == first
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys.get_by_role("heading", name="On this page")).to_be_visible()
    expect(keys).to_contain_text("Skip this image")
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("d")
    expect(page.get_by_role("heading", name="Datasets")).to_be_visible()
    page.keyboard.press("?")
    expect(keys.get_by_role("heading", name="On every page")).to_be_visible()
    expect(keys.get_by_role("heading", name="On this page")).to_be_hidden()
    assert violations(page) == []
    assert client.queues.get(queue)["counts"]["done"] == 0
    person.sit_down(queue)
    person.label(small.truth, count=3)
    person.wait_until_saved()


def test_the_palette_opens_by_the_key_that_somebody_set_from_a_text_field_too(open_as: Open) -> None:
    page = open_as().page
    page.goto("/app/settings/keys")
    row = page.get_by_role("row", name="Find a page")
    row.get_by_role("button", name="take away").click()
    row.get_by_role("button", name="Add a key to").click()
    page.keyboard.press("Control+j")
    expect(page.get_by_role("banner").get_by_text("Ctrl J")).to_be_visible()
    page.goto("/app/jobs")
    search, palette = page.get_by_role("searchbox").first, page.get_by_role("dialog", name="Go to")
    search.focus()
    page.keyboard.press("Control+k")  # means nothing any more: what is typed next still lands in the field
    page.wait_for_timeout(500)
    page.keyboard.type("x")
    expect(search).to_have_value("x")
    page.keyboard.press("Control+j")
    expect(palette).to_be_visible()
    page.keyboard.type("peop")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="People")).to_be_visible()
    page.goto("/app/settings/keys")
    with page.expect_response("**/session/preferences"):
        page.get_by_role("button", name="All as they were").click()


def test_a_key_that_somebody_set_acts_in_the_workspace_and_follows_them_to_another_browser(
    open_as: Open, client: Motherlode, small: Digits
) -> None:
    queue = digits.queue(client, small, "own-keys", count=4)
    page = open_as().page
    page.goto("/app/settings/keys")
    row = page.get_by_role("row", name="Skip this image").first
    row.get_by_role("button", name="Add a key to").click()
    page.keyboard.press("i")
    expect(page.get_by_role("alert")).to_contain_text("already means")
    with page.expect_response("**/session/preferences"):
        page.keyboard.press("q")
    expect(row.get_by_text("Q", exact=True)).to_be_visible()
    other = open_as()
    other.sit_down(queue)
    other.press("q")
    other.wait_until_saved()
    assert client.queues.get(queue)["counts"]["skipped"] == 1
    other.page.goto("/app/settings/keys")
    with other.page.expect_response("**/session/preferences"):
        other.page.get_by_role("button", name="All as they were").click()
