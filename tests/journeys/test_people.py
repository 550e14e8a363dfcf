"""The owner's part: people who sign in with a token that is shown once, and how far they agree."""

import re

import pytest
from playwright.sync_api import expect
from tests.journeys import labellers
from tests.journeys.digits import Digits
from tests.journeys.people import Open
from tests.journeys.site import Site

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser


def test_an_owner_adds_an_annotator_who_logs_in_with_the_token_that_is_shown_once(open_as: Open) -> None:
    page = open_as().page
    page.goto("/app/people")
    page.get_by_role("button", name="Add a person").click()
    page.get_by_label("Username").fill("nora")
    page.get_by_role("radio", name=re.compile("^Annotator")).check()
    page.get_by_role("button", name="Add and create a token").click()
    shown = page.get_by_role("status", name="New token")
    expect(shown).to_contain_text("shown only once")
    token = shown.locator("code").first.inner_text()
    assert token.startswith("ml_")
    page.keyboard.press("Escape")
    expect(shown).to_be_visible()
    page.get_by_label("I have copied it").check()
    page.get_by_role("button", name="Done").click()
    assert token not in page.content()
    row = page.get_by_role("row", name=re.compile("^nora"))
    expect(row.get_by_text("Active")).to_be_visible()

    nora = open_as(token).page
    nora.goto("/app/")
    expect(nora.get_by_role("navigation", name="Pages")).to_be_visible()
    expect(nora.get_by_role("link", name="People")).to_have_count(0)
    nora.goto("/app/people")
    expect(nora.get_by_text("Only owners of the platform can add people")).to_be_visible()

    page.get_by_label("Role of nora").select_option("reviewer")
    expect(page.get_by_text("nora is a reviewer now")).to_be_visible()
    nora.reload()
    expect(nora.get_by_role("link", name="Review", exact=True)).to_be_visible()
    row.get_by_role("button", name="Deactivate nora").click()
    asked = page.get_by_role("dialog", name="Deactivate nora?")
    expect(asked).to_contain_text("1 token ends for good")
    asked.get_by_role("button", name="Deactivate").click()
    expect(row.get_by_text("Deactivated")).to_be_visible()
    nora.goto("/app/label")
    expect(nora.get_by_label("Token")).to_be_visible()
    row.get_by_role("button", name="Activate nora").click()
    page.get_by_role("button", name="Create a token").click()
    expect(page.get_by_role("dialog", name="Tokens of nora")).to_contain_text("nora has no token")


def test_an_annotator_sees_their_own_figures_and_the_lead_how_far_people_agree(
    open_as: Open, client: Motherlode, small: Digits, platform_site: Site
) -> None:
    queue = labellers.disputed(platform_site, small, "figures")
    lead = open_as().page
    lead.goto(f"/app/team?queue={queue}")
    table = lead.get_by_role("table", name="People, the busiest first")
    expect(table.get_by_role("rowheader")).to_have_text(["figures-right", "figures-wrong"])
    expect(lead.get_by_role("region", name="Agreement matrix")).to_contain_text("worse than chance")
    annotator = open_as(labellers.sign_in_as(platform_site, "figures-right")).page
    annotator.goto("/app/team")
    expect(annotator.get_by_role("heading", name="Your figures")).to_be_visible()
    expect(annotator.get_by_role("rowheader")).to_have_text(["figures-right"])
