"""The first hour: a zip of images without a label becomes a dataset, and a pipeline asks for the first labels."""

import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.journeys import digits
from tests.journeys.axe import violations
from tests.journeys.picking import pick

pytestmark = pytest.mark.browser
IMAGES, ASKED = 40, 6
JOB_MS = 120_000


def test_a_zip_without_labels_becomes_a_round_that_asks_for_the_first(page: Page, tmp_path: Path) -> None:
    archive = tmp_path / "unseen.zip"
    with zipfile.ZipFile(archive, "w") as made:
        for place, (_, png) in enumerate(digits.images()[-IMAGES:]):  # no other journey's: these become embedded
            made.writestr(f"frames/{place:03}.png", png)
    page.goto("/app/datasets/new")
    page.get_by_label("Choose files").set_input_files(archive)
    expect(page.get_by_role("heading", name=f"Found: the archive unseen.zip with {IMAGES} images")).to_be_visible()
    page.get_by_label(re.compile("^Classes")).fill("\n".join("0123456789"))
    page.get_by_label("Task").select_option("classification")
    assert violations(page) == []
    page.get_by_role("button", name="Create it and add the archive").click()
    expect(page.get_by_text(f"{IMAGES} added")).to_be_visible(timeout=JOB_MS)

    page.goto("/app/pipelines/new")
    page.get_by_label("Name", exact=True).first.fill("first-hour")
    pick(page.get_by_label("Dataset"), "unseen")
    page.get_by_label("Labels in a round").fill(str(ASKED))
    page.get_by_role("button", name="Create the pipeline").click()
    page.get_by_role("button", name=re.compile("^Start")).first.click()
    expect(page.get_by_text(f"Round 1 waits for labels: 0 of {ASKED} answered")).to_be_visible(timeout=JOB_MS)
    expect(page.get_by_text("strategy auto")).to_be_visible()

    page.goto("/app/mining/new?dataset=unseen")
    pick(page.get_by_label("Model", exact=True), "none yet: ImageNet features")
    expect(page.get_by_label("Strategy")).to_have_value("auto")
    assert violations(page) == []
