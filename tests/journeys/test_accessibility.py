"""No page breaks a rule of WCAG 2.2 A or AA that a program can check, in light and in dark."""

import re

import pytest
from playwright.sync_api import expect
from tests.journeys import digits, labellers
from tests.journeys.axe import violations
from tests.journeys.digits import Digits
from tests.journeys.people import Open
from tests.journeys.site import Site

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser
DIALOGS = {
    "versions": "Tag…",
    "versions?v=2": "Move an alias here…",
    "versions?v=3": "Fork…",
    "diff": "Export",
    "": "Save as a slice…",
}


@pytest.fixture(scope="module")
def waiting(client: Motherlode, small: Digits) -> str:
    """A queue that waits for labels."""
    return digits.mined_queue(client, small, "accessible", count=6)


@pytest.fixture(scope="module")
def grid(client: Motherlode, small: Digits, platform_site: Site) -> str:
    """A queue that is labelled page by page."""
    queue = digits.mined_queue(client, small, "by-tiles", count=12)
    platform_site.change_queue(queue, kind="grid", accept_threshold=0.5)
    return queue


@pytest.fixture(scope="module")
def disputed(client: Motherlode, small: Digits, platform_site: Site) -> int:
    """A queue about which two people disagree."""
    return labellers.disputed(platform_site, small, "disputed")


def test_no_page_of_people_and_reviews_breaks_a_rule(open_as: Open, small: Digits, disputed: int) -> None:
    page = open_as().page
    found = {}
    for path, ready in {
        "/app/review": ".review-tile img",
        f"/app/review/{disputed}": ".review-stage img",
        f"/app/team?queue={disputed}": ".agreement",
        "/app/people": "tbody tr",
        "/app/settings": "tbody tr",
        f"/app/datasets/{small.name}/classes": ".class-row",
    }.items():
        page.goto(path)
        expect(page.locator(ready).first).to_be_visible()
        found[path] = violations(page)
    for path, button in (
        (f"/app/review/{disputed}", "Reject"),
        (f"/app/review/{disputed}", "Keys"),
        ("/app/people", "Add a person"),
        ("/app/people", "tokens? of"),
    ):
        page.goto(path)
        page.get_by_role("button", name=re.compile(button)).first.click()
        expect(page.get_by_role("dialog").get_by_role("button").last).to_be_visible()
        found[button] = violations(page)
    page.goto(f"/app/datasets/{small.name}/classes")
    page.get_by_text("Add a guideline and examples").first.click()
    page.get_by_role("button", name=re.compile("^Pick examples")).first.click()
    expect(page.locator(".picker img").first).to_be_visible()
    found["examples"] = violations(page)
    assert {where: faults for where, faults in found.items() if faults} == {}


def test_no_page_breaks_a_rule(open_as: Open, small: Digits, waiting: str, grid: str) -> None:
    page = open_as().page
    found = {}
    for path, ready in {
        "/app/datasets": "tbody tr",
        f"/app/datasets/{small.name}": "[role=gridcell] img",
        f"/app/datasets/{small.name}/versions": ".version-more code",
        f"/app/datasets/{small.name}/lake": ".message code",
        f"/app/datasets/{small.name}/diff?from=1&to=5": ".difference img",
        f"/app/datasets/{small.name}/diff?from=1&to=1": ".message",
        "/app/models": "tbody tr",
        "/app/runs": "tbody tr",
        f"/app/models/{small.model}": ".figure-interval",
        f"/app/models/{small.model}/1": ".matrix",
        f"/app/models/{small.model}/1/outcomes?kind=missed&threshold=1": ".outcome img",
        "/app/runs/1": ".run-chart canvas",
        "/app/label": "tbody tr",
        "/app/settings/keys": "tbody tr",
        "/app/planner?example=automotive-125-cars&with=target_days:7": "tbody tr",
        f"/app/label/{grid}": ".label-tile",
        f"/app/label/{waiting}": ".stage img",
    }.items():
        page.goto(path)
        expect(page.locator(ready).first).to_be_visible()
        found[path] = violations(page)
    for key, dialog in {"?": "help", "Shift+S": "reasons to skip", "f": "flag"}.items():
        page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_be_visible()
        found[dialog] = violations(page)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
    page.goto("/app/label")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.keyboard.press("g")
    expect(page.get_by_role("status", name="Go to a page")).to_be_visible()
    found["go to"] = violations(page)
    page.keyboard.press("Escape")
    for button in ("New queue", f"Settings, skips and flags of {waiting}"):
        page.get_by_role("button", name=button).click()
        expect(page.get_by_role("dialog").get_by_role("button").last).to_be_visible()
        found[button] = violations(page)
        page.keyboard.press("Escape")
    page.goto(f"/app/datasets/{small.name}")
    page.get_by_role("gridcell").first.click()
    expect(page.get_by_role("dialog").get_by_role("img")).to_be_visible()
    found["drawer"] = violations(page)
    page.goto(f"/app/datasets/{small.name}/diff?from=1&to=5")
    page.locator(".difference").first.click()
    expect(page.get_by_role("dialog").get_by_role("img")).to_be_visible()
    found["difference"] = violations(page)
    for name, button in DIALOGS.items():
        page.goto(f"/app/datasets/{small.name}/{name}")
        page.get_by_role("button", name=button).click()
        expect(page.get_by_role("dialog").get_by_role("button").last).to_be_visible()
        found[button] = violations(page)
    for name, button in {f"models/{small.model}": "Promote… v1", "runs/1": "Clone…"}.items():
        page.goto(f"/app/{name}")
        page.get_by_role("button", name=button).click()
        expect(page.get_by_role("dialog").get_by_role("button").last).to_be_visible()
        found[button] = violations(page)
    page.context.clear_cookies()
    page.goto("/app/login")
    expect(page.get_by_label("Token")).to_be_visible()
    found["/app/login"] = violations(page)
    assert {where: faults for where, faults in found.items() if faults} == {}
