"""The way on, by a person who has only a browser: from a zip of images to a model, and to a second version that learned
from what the first was unsure of. Each page offers the next step, so clicks are few."""

import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.journeys import digits
from tests.journeys.axe import violations
from tests.journeys.people import Open, Person

pytestmark = pytest.mark.browser
TESTED, UNLABELLED, MINED = 40, 12, 6
MOST_CLICKS = 20
"""Beside the labels."""
JOB_MS = 240_000


class Clicks:
    """Counts the clicks of a person."""

    def __init__(self) -> None:
        self.count = 0

    def on(self, target: Locator) -> None:
        target.click()
        self.count += 1


@pytest.fixture
def archive(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A zip with a labelled test split and images without a label, and their classes by key."""
    path, rows, truth = tmp_path / "from-nothing.zip", digits.images()[:200], {}
    with zipfile.ZipFile(path, "w") as file:
        for place, (digit, png) in enumerate(rows[: TESTED + UNLABELLED * 2]):
            tested = place < TESTED
            name = f"test/{digit}/{place:03}.png" if tested else f"pool/{place:03}.png"
            truth[name.removeprefix("pool/")] = truth[name] = digit
            file.writestr(name, png)
    return path, truth


def answer_all(person: Person, truth: dict[str, str]) -> None:
    """Label until the queue is done, by keys."""
    page = person.page
    expect(page.locator(".stage img")).to_be_visible(timeout=30_000)
    while page.locator(".stage img").count():
        key = person.shown()
        person.press(truth[key])
        if page.get_by_role("region", name="Complete").count():
            return


def train(page: Page, clicks: Clicks) -> int:
    """Start the training that is offered, with a recipe that takes seconds; returns the version that came of it."""
    clicks.on(page.get_by_role("button", name="Train a model"))
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Architecture").select_option("small_cnn")
    dialog.get_by_label("Edit as JSON").check()
    dialog.get_by_label("Settings").fill(json.dumps(digits.RECIPE))
    clicks.on(dialog.get_by_role("button", name="Train", exact=True))
    result = page.get_by_role("heading", name=re.compile(r"^Result: version \d+"))
    expect(result).to_be_visible(timeout=JOB_MS)
    found = re.search(r"version (\d+)", result.inner_text())
    assert found
    return int(found[1])


def test_a_person_with_only_a_browser_reaches_a_model_that_learned_from_mined_labels(
    open_as: Open, archive: tuple[Path, dict[str, str]]
) -> None:
    person, (path, truth), clicks = open_as(), archive, Clicks()
    page = person.page
    page.goto("/app/datasets")
    clicks.on(page.get_by_role("link", name="Create a dataset").first)
    page.get_by_label("Choose files").set_input_files(path)
    clicks.count += 1
    expect(page.get_by_label("Name", exact=True)).to_have_value("from-nothing")
    clicks.on(page.get_by_role("button", name=re.compile("^Create it and add the archive")))
    expect(page.get_by_text(f"{UNLABELLED * 2} images have no label yet")).to_be_visible(timeout=JOB_MS)
    assert violations(page) == []

    clicks.on(page.get_by_role("link", name="Label these"))
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Name", exact=True)).to_have_value("from-nothing")
    assert violations(page) == []
    clicks.on(dialog.get_by_text("More settings"))
    dialog.get_by_label("At most").fill(str(UNLABELLED))
    clicks.on(dialog.get_by_role("button", name="Create the queue"))
    answer_all(person, truth)
    clicks.on(page.get_by_role("button", name=re.compile("^Commit")))

    first = train(page, clicks)
    expect(page.get_by_text(re.compile("^(Good at|All classes are about as good)"))).to_be_visible()
    assert violations(page) == []
    clicks.on(page.get_by_role("link", name="Mine what confuses it"))
    page.get_by_label("Picks").fill(str(MINED))
    clicks.on(page.get_by_role("button", name="Start mining"))
    send = page.get_by_role("button", name="Send to a queue…")
    expect(send).to_be_visible(timeout=JOB_MS)
    clicks.on(send)
    clicks.on(page.get_by_role("dialog").get_by_role("button", name="Send", exact=True))
    answer_all(person, truth)
    clicks.on(page.get_by_role("button", name=re.compile("^Commit")))
    assert train(page, clicks) == first + 1
    assert clicks.count <= MOST_CLICKS
