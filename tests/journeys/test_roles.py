"""What a role may not do, its pages neither show nor ask for."""

import re

import httpx
import pytest
from playwright.sync_api import Page, Response, expect
from tests.journeys import labellers
from tests.journeys.digits import Digits
from tests.journeys.layout import wait_until_read
from tests.journeys.people import Open
from tests.journeys.site import Site

pytestmark = pytest.mark.browser


def refusals(page: Page) -> list[str]:
    """Addresses that this page asks for from now on and is refused."""
    found: list[str] = []

    def note(response: Response) -> None:
        if response.status == 403:
            found.append(f"{response.request.method} {response.url}")

    page.on("response", note)
    return found


def test_an_annotator_is_shown_what_there_is_to_label_and_nothing_that_would_be_refused(
    open_as: Open, platform_site: Site, small: Digits
) -> None:
    found = labellers.get(platform_site, f"/datasets/{small.name}/versions/head/samples?split=pool&limit=2")["results"]
    labellers.make_queue(platform_site, "for-annotators", small.name, [sample["key"] for sample in found])
    page = open_as(labellers.add_person(platform_site, "olga")).page
    refused = refusals(page)
    page.goto("/app/")
    links = page.get_by_role("navigation", name="Pages").get_by_role("link")
    expect(links).to_have_text(["My work", "Label", "Team", "Settings"])
    expect(page.get_by_role("heading", name="To label now")).to_be_visible()
    page.goto("/app/label")
    expect(page.get_by_role("row", name=re.compile("for-annotators"))).to_be_visible()
    expect(page.get_by_role("button", name="New queue")).to_have_count(0)
    page.get_by_role("button", name="Skips and flags of for-annotators").click()
    expect(page.get_by_role("dialog", name="for-annotators")).to_contain_text("Nobody has skipped an image")
    expect(page.get_by_role("form", name="Queue settings")).to_have_count(0)
    page.goto("/app/label/for-annotators")
    for left in (1, 0):
        expect(page.locator(".stage img")).to_be_visible()
        page.keyboard.press("1")
        expect(page.get_by_text(f"{2 - left}/2")).to_be_visible()
    expect(page.get_by_role("region", name="Complete")).to_contain_text("A reviewer or a pipeline commits the labels")
    expect(page.get_by_role("button", name=re.compile("Commit|Close"))).to_have_count(0)
    for address in ("/app/team", "/app/settings", "/app/"):
        page.goto(address)
        wait_until_read(page)
    for address in ("datasets", f"datasets/{small.name}", "models", "jobs", "runs/1", "mining/new", "review", "people"):
        page.goto(f"/app/{address}")
        expect(page.get_by_role("heading", name="No access")).to_be_visible()
    page.keyboard.press("ControlOrMeta+K")
    page.get_by_role("combobox").fill("small")
    expect(page.get_by_role("option")).to_have_count(0)
    assert refused == []


def test_a_reviewer_is_not_shown_what_only_owners_do(open_as: Open, platform_site: Site, small: Digits) -> None:
    alias = {"alias": "golden", "version": "1", "protected": True}
    owner = {"Authorization": f"Bearer {platform_site.token}"}
    httpx.post(f"{platform_site.url}/datasets/{small.name}/aliases", json=alias, headers=owner).raise_for_status()
    page = open_as(labellers.add_person(platform_site, "roy", role="reviewer")).page
    refused = refusals(page)
    for address in (
        "",
        "datasets",
        f"datasets/{small.name}",
        "models",
        "jobs",
        "workers",
        "pipelines",
        "review",
        "team",
    ):
        page.goto(f"/app/{address}")
        wait_until_read(page)
    page.goto(f"/app/datasets/{small.name}/versions?v=1")
    expect(page.get_by_text("protected alias by owner")).to_be_visible()
    expect(page.get_by_role("button", name="Take the alias golden away")).to_have_count(0)
    page.goto("/app/people")
    expect(page.get_by_role("heading", name="No access")).to_be_visible()
    assert refused == []
