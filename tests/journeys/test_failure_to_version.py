"""From a failure of a model to the version that learned from it: what somebody new does, in the browser alone."""

import re

import pytest
from playwright.sync_api import expect
from tests.journeys import digits
from tests.journeys.axe import violations
from tests.journeys.people import Open

from motherlode.client import Motherlode

pytestmark = [pytest.mark.browser, pytest.mark.clock]
MISLABELLED, SAID = "test-001.png", "7"
COUNT = 12
JOB_MS = 240_000
ONE_LINE = 40  # pixels


def test_a_failure_is_found_its_label_mended_more_like_it_mined_labelled_and_trained_on(
    open_as: Open, client: Motherlode
) -> None:
    loaded = digits.load(client, "failing")
    client.datasets.commit(loaded.name, labels={MISLABELLED: {"class": SAID}})
    digits.train(client, loaded)
    person = open_as()
    page, dialog = person.page, person.page.get_by_role("dialog")
    page.goto("/app/")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Models").click()
    page.get_by_role("link", name=loaded.model, exact=True).click()
    page.get_by_role("link", name="v1", exact=True).first.click()
    page.get_by_role("link", name=re.compile(f"^{SAID} taken for")).first.click()

    page.get_by_role("checkbox", name=re.compile(f"^Select {MISLABELLED}")).check()
    page.get_by_role("button", name="Relabel…").click()
    dialog.get_by_role("combobox", name="Class").fill(loaded.truth[MISLABELLED])
    dialog.get_by_role("button", name="Relabel 1 sample").click()
    expect(page.get_by_text(re.compile(f"^1 sample relabelled as {loaded.truth[MISLABELLED]}"))).to_be_visible()
    expect(page.get_by_text("The list keeps the labels that v1 was evaluated with")).to_be_visible()
    assert violations(page) == []
    words = page.get_by_role("status").filter(has_text="1 entry selected").bounding_box()
    assert words is not None
    assert words["height"] < ONE_LINE, "what stands beside the words takes no room from them"

    page.get_by_role("button", name="Mine for more like these…").click()
    expect(page.get_by_label("Like", exact=True)).to_have_value(re.compile(MISLABELLED))
    page.get_by_label("Picks").fill(str(COUNT))
    page.get_by_role("button", name="Start mining").click()
    expect(page.get_by_role("region", name="Picks").get_by_role("button")).to_have_count(COUNT, timeout=JOB_MS)
    expect(page.get_by_role("region", name="Settings").get_by_text(MISLABELLED, exact=True)).to_be_visible()
    page.get_by_role("button", name="Send to a queue…").click()
    dialog.get_by_role("button", name="Send").click()

    keys = person.label(loaded.truth, count=COUNT)
    person.wait_until_saved()
    page.get_by_role("button", name=f"Commit {COUNT} labels").click()
    page.get_by_role("button", name="Train a model").click(timeout=JOB_MS)
    expect(dialog.get_by_role("combobox", name="Model", exact=True)).to_have_value(loaded.model)
    dialog.get_by_role("button", name="Train", exact=True).click()
    page.wait_for_url(re.compile("/app/runs/"))
    page.get_by_role("link", name="Version 2", exact=True).click(timeout=JOB_MS)
    expect(page.get_by_role("heading", level=1)).to_contain_text("v2")
    expect(page.get_by_text("Accuracy", exact=True).first).to_be_visible()

    labels = {row["key"]: row["label"] for row in client.datasets.samples(loaded.name)}
    assert labels[MISLABELLED] == {"class": loaded.truth[MISLABELLED]}
    assert [labels[key] for key in keys] == [{"class": loaded.truth[key]} for key in keys]
    assert client.models.version(loaded.model, 2)["dataset_version"] == client.datasets.get(loaded.name)["head"]
