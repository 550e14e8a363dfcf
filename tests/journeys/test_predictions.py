"""A model's predictions in the grid: scored from the page, the most wrong first, filtered, relabelled."""

import re

import pytest
from playwright.sync_api import Page, expect
from tests.journeys import digits
from tests.journeys.axe import violations
from tests.journeys.digits import Digits
from tests.journeys.people import Open
from tests.journeys.picking import pick

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser
MINUTES = 4 * 60_000
WRONG = {"train-001.png", "train-005.png", "test-003.png"}
"""Samples whose label is made one that the picture does not show."""


@pytest.fixture(scope="module")
def mislabelled(client: Motherlode) -> Digits:
    """Digits with a trained model, three of them labelled wrongly afterwards."""
    loaded = digits.load(client, "said")
    longer = digits.RECIPE | {"recipe": {"steps": 300}}
    digits.train(client, loaded, config=longer)
    wrong = {key: {"class": str((int(loaded.truth[key]) + 5) % 10)} for key in WRONG}
    client.datasets.commit(loaded.name, labels=wrong)
    return loaded


def shown(page: Page, count: int) -> list[str]:
    """The keys of the first tiles."""
    tiles = page.get_by_role("grid", name="Samples").get_by_role("gridcell")
    return [str(tiles.nth(place).get_by_role("img").get_attribute("alt")) for place in range(count)]


def test_the_most_wrong_first_and_mended(open_as: Open, mislabelled: Digits, client: Motherlode) -> None:
    page = open_as().page
    model = f"{mislabelled.model}@1"
    page.goto(f"/app/datasets/{mislabelled.name}")
    tiles = page.get_by_role("grid", name="Samples").get_by_role("gridcell")
    tiles.first.focus()
    page.keyboard.press("p")
    picker = page.get_by_label("Predictions of")
    expect(picker).to_be_focused()
    pick(picker, model)
    expect(page.get_by_text("not scored by it")).to_be_visible()
    faults = {"not scored": violations(page)}
    page.get_by_role("button", name="Score them").click()
    expect(page.get_by_text("not scored by it")).to_be_hidden(timeout=MINUTES)
    expect(tiles.first.get_by_text("predicted")).to_be_attached()

    page.get_by_label("Order").select_option("most wrong first")
    expect(page).to_have_url(re.compile("order=-loss"))
    expect(tiles.first.get_by_text("not what the label says")).to_be_attached()
    most = shown(page, 3)
    listed = client.datasets.samples(mislabelled.name, predicted_by=model, order="-loss")
    assert most == [next(listed)["key"] for _ in range(3)]
    assert len(WRONG & set(shown(page, 6))) >= 2, "what was labelled wrongly stands in front"
    faults["most wrong"] = violations(page)

    panel = page.get_by_role("complementary", name="Filters")
    panel.get_by_role("group", name="Prediction and label").get_by_role("button", name="different").click()
    expect(page.get_by_role("button", name=re.compile("^predicted wrong"))).to_be_visible()
    splits = panel.get_by_role("group", name="Split")
    splits.get_by_role("button", name="train").click()
    splits.get_by_role("button", name="test").click()
    expect(page).to_have_url(re.compile("split=train&split=test"))
    expect(splits.get_by_role("button", pressed=True)).to_have_count(2)
    faults["filtered"] = violations(page)

    tiles.first.focus()
    page.keyboard.press("Control+a")
    chosen = page.get_by_role("region", name="Selection")
    expect(chosen.get_by_text("all matches")).to_be_visible()
    page.keyboard.press("t")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Add tags").fill("suspect")
    dialog.get_by_role("button", name=re.compile("^Tag ")).click()
    expect(dialog).to_be_hidden()
    tagged = {sample["key"] for sample in client.datasets.samples(mislabelled.name, chosen="tag = suspect")}
    wanted = client.datasets.samples(mislabelled.name, predicted_by=model, correct=False)
    assert tagged == {sample["key"] for sample in wanted}
    assert not any(faults.values()), faults
