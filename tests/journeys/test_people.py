"""The owner's part: people who log in with a token that is shown once, and classes whose keys stay."""

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
    page.get_by_role("button", name="Add and make a token").click()
    shown = page.get_by_role("status", name="New token")
    expect(shown).to_contain_text("shown this once")
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
    expect(nora.get_by_role("link", name="People")).to_have_count(0)
    nora.goto("/app/people")
    expect(nora.get_by_text("Only an owner adds people")).to_be_visible()

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
    page.get_by_role("button", name="Make a token").click()
    expect(page.get_by_role("dialog", name="Tokens of nora")).to_contain_text("nora has no token")


def test_a_class_is_added_by_keyboard_and_no_other_class_moves_from_its_key(
    open_as: Open, client: Motherlode, platform_site: Site
) -> None:
    client.datasets.create("fasteners", classes=["bolt", "nut"])
    page = open_as().page
    page.goto("/app/datasets/fasteners/classes")
    page.get_by_label("Name of a new class").fill("Nut")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("“nut” exists already")
    page.get_by_label("Name of a new class").fill("washer")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 unsaved change")).to_be_visible()
    page.get_by_label("Why").fill("washers came up")

    # Meanwhile somebody else saves: nothing of theirs or ours is lost.
    theirs = labellers.get(platform_site, "/datasets/fasteners/schema")
    guideline = {
        "classes": [{"name": "bolt", "guideline": "Has a head."}, {"name": "nut"}],
        "parent": theirs["version"],
    }
    labellers.put(platform_site, "/datasets/fasteners/schema", guideline)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("bolt: guideline changed")
    page.get_by_role("button", name=re.compile("Put my changes on top")).click()
    page.get_by_role("button", name="Save as version 3").click()
    expect(page.get_by_text("Saved as version 3 of the schema")).to_be_visible()

    saved = labellers.get(platform_site, "/datasets/fasteners/schema")
    assert [(one["name"], one["key"]) for one in saved["classes"]] == [("bolt", "1"), ("nut", "2"), ("washer", "3")]
    assert saved["classes"][0]["guideline"] == "Has a head."
    assert saved["history"][0]["message"] == "washers came up"


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
