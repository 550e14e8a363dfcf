"""A reviewer decides where people disagree, by mouse and by keyboard; decisions survive a network that is gone."""

import re

import pytest
from playwright.sync_api import Page, Route, expect
from tests.journeys import axe, digits, labellers
from tests.journeys.digits import Digits
from tests.journeys.people import Open
from tests.journeys.site import Site

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser


def shown(page: Page) -> str:
    """The key of the sample on the stage."""
    alt = page.locator(".review-stage img").get_attribute("alt")
    assert alt is not None
    return alt.removeprefix("Sample ")


def wait_for_another(page: Page, before: str) -> None:
    """Until another sample stands there, or none."""
    page.wait_for_function(
        "before => document.querySelector('.review-stage img')?.alt !== `Sample ${before}`", arg=before
    )


def decided(site: Site, queue: int) -> dict[str, str]:
    """By sample: the class that was decided."""
    done = labellers.get(site, f"/labeling/reviews?queue={queue}&state=done&limit=100")["results"]
    return {review["sample"]["key"]: review["decision"]["class"] for review in done}


def test_disagreements_are_decided_with_the_mouse_from_the_list_to_the_last(
    open_as: Open, client: Motherlode, small: Digits, platform_site: Site
) -> None:
    queue = labellers.disputed(platform_site, small, "disputed-by-mouse")
    page = open_as().page
    page.goto("/app/review")
    page.get_by_role("link", name="Review 4 images → of disputed-by-mouse").click()
    for _ in range(4):
        key = shown(page)
        answers = page.get_by_role("region", name="Answers")
        expect(answers).to_contain_text("disputed-by-mouse-right")
        expect(answers).to_contain_text("disputed-by-mouse-wrong")
        answers.get_by_role("button", name=re.compile(rf"{small.truth[key]}$")).click()
        wait_for_another(page, key)
    expect(page.get_by_text("All 4 reviews of disputed-by-mouse are decided")).to_be_visible()
    expect(page.get_by_text("All decisions saved")).to_be_visible()
    found = decided(platform_site, queue)
    assert found == {key: small.truth[key] for key in found}
    assert len(found) == 4


def test_disagreements_are_decided_by_keyboard_with_undo_a_reason_and_a_lost_network(
    open_as: Open, client: Motherlode, small: Digits, platform_site: Site
) -> None:
    queue = labellers.disputed(platform_site, small, "disputed-by-keyboard")
    page = open_as().page
    page.goto(f"/app/review/{queue}")
    expect(page.locator(".review-stage img")).to_be_visible()

    first = shown(page)
    page.keyboard.press("r")
    page.keyboard.type("the right one is plain")
    page.keyboard.press("Enter")
    page.keyboard.press(key_of(page, small.truth[first]))
    wait_for_another(page, first)
    expect(page.get_by_text("All decisions saved")).to_be_visible()
    page.keyboard.press("Backspace")  # takes the decision back on the server and shows it again
    expect(page.get_by_role("img", name=f"Sample {first}")).to_be_visible()
    expect(page.get_by_role("region", name="Decide")).to_be_visible()
    assert decided(platform_site, queue) == {}

    def lose(route: Route) -> None:
        route.abort()

    page.route("**/decide", lose)
    for _ in range(4):
        key = shown(page)
        page.keyboard.press(key_of(page, small.truth[key]))
        wait_for_another(page, key)
    expect(page.get_by_text("4 decisions kept on this computer, retrying")).to_be_visible()
    page.reload()
    page.unroute("**/decide", lose)
    page.reload()
    expect(page.get_by_text("All decisions saved")).to_be_visible(timeout=60_000)
    found = decided(platform_site, queue)
    assert found == {key: small.truth[key] for key in found}
    assert len(found) == 4


def test_a_queue_offers_its_open_reviews_before_it_is_committed_and_a_tie_prefers_nothing(
    open_as: Open, client: Motherlode, small: Digits, platform_site: Site
) -> None:
    queue = labellers.disputed(platform_site, small, "tied")
    ana = open_as(labellers.sign_in_as(platform_site, "tied-right")).page
    ana.goto(f"/app/label/{queue}")
    expect(ana.get_by_text("A reviewer decides 4 images; then the labels are committed.")).to_be_visible()
    expect(ana.get_by_role("button", name="Commit")).to_have_count(0)
    page = open_as().page
    page.goto(f"/app/label/{queue}")
    page.get_by_role("link", name="Review 4").click()
    expect(page.get_by_text("tie 50 %")).to_be_visible()
    expect(page.get_by_role("button", name="Accept the consensus")).to_have_count(0)
    first = shown(page)
    page.keyboard.press("a")
    assert shown(page) == first
    page.keyboard.press("x")
    page.get_by_role("dialog").get_by_label("Why not?").fill("both misread it")
    page.keyboard.press("Enter")
    page.keyboard.press("7")
    wait_for_another(page, first)
    expect(page.get_by_text("All decisions saved")).to_be_visible()
    assert len(decided(platform_site, queue)) == 1
    page.goto(f"/app/label/{queue}")
    page.get_by_role("button", name="Commit 1 label without them").click()
    expect(page.get_by_role("heading", name="Committed as version")).to_be_visible()
    page.get_by_role("button", name="Train a model").click()
    expect(page.get_by_role("dialog", name="Train a model on small")).to_be_visible()


def key_of(page: Page, name: str) -> str:
    """The key that the page prints for a class."""
    button = page.get_by_role("region", name="Another class").get_by_role("button", name=re.compile(rf" ?{name}$"))
    return button.locator("kbd").inner_text()


def test_an_annotator_asks_about_a_place_and_the_owner_answers_from_my_work(
    open_as: Open, client: Motherlode, small: Digits, platform_site: Site
) -> None:
    queue = digits.queue(client, small, "asked-about", count=1)
    owner = client.people.get()["username"]
    annotator = open_as(labellers.add_person(platform_site, "asks-about"))
    annotator.sit_down(queue)
    page = annotator.page
    page.keyboard.press("t")
    page.keyboard.type(f"Is this stroke part of it, @{owner}?")
    page.get_by_role("button", name="Place on the image").click()
    box = page.locator(".stage img").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.25, box["y"] + box["height"] * 0.75)
    expect(page.get_by_text("Placed at 25 %, 75 %.")).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("button", name="Comment 1 by asks-about")).to_be_visible()
    assert axe.violations(page) == []
    (comment,) = client.queues.comments(queue=queue, open=True)
    assert comment["mentions"] == [owner]
    assert [comment["x"], comment["y"]] == pytest.approx([0.25, 0.75], abs=0.01)

    page = open_as().page
    page.goto("/app/")
    page.get_by_role("region", name="Mentions of you").get_by_role("button", name=re.compile("by asks-about")).click()
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("button", name="Comment 1 by asks-about")).to_be_visible()
    assert axe.violations(page) == []
    sheet.get_by_role("button", name="Resolve comment 1").click()
    expect(sheet.get_by_text("1 resolved")).to_be_visible()
    sheet.get_by_role("button", name="Close").click()
    expect(page.get_by_role("region", name="Mentions of you")).to_have_count(0)
    assert list(client.queues.comments(queue=queue, open=True)) == []
