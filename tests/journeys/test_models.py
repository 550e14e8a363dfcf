"""Models in the browser: promoted against the word of the gates, rolled back, asked about images, compared, trained."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.journeys import digits
from tests.journeys.axe import violations
from tests.journeys.digits import Digits
from tests.journeys.picking import pick

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser
POOR = {"recipe": {"steps": 2}, "export": {"precisions": []}}
ANSWER_MS = 60_000  # a version is loaded into a process of its own when it is first asked


@pytest.fixture(scope="module")
def judged(client: Motherlode) -> Digits:
    """Digits with a model whose second version is clearly worse than its first."""
    loaded = digits.load(client, "judged")
    digits.train(client, loaded)
    digits.train(client, loaded, config=POOR)
    return loaded


def test_a_worse_version_is_refused_with_the_reason_and_promoted_only_by_an_override(
    page: Page, client: Motherlode, judged: Digits
) -> None:
    page.goto("/app/")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Models").click()
    page.get_by_role("link", name=judged.model, exact=True).click()
    dialog, promotions = page.get_by_role("dialog"), page.get_by_role("region", name="Promotions")
    page.get_by_role("button", name="Promote… v1").click()
    dialog.get_by_label("Reason").fill("The first that answers")
    dialog.get_by_role("button", name="Promote v1").click()
    expect(promotions.get_by_text("The first that answers")).to_be_visible()

    page.get_by_role("button", name="Promote… v2").click()
    dialog.get_by_label("Reason").fill("To see what users say")
    dialog.get_by_role("button", name="Promote v2").click()
    expect(dialog.get_by_role("alert")).to_contain_text("The alias was not moved")
    expect(dialog.get_by_role("listitem").first).to_contain_text(re.compile("failed.*accuracy.*against.*of v1"))
    assert production(client, judged) == 1
    dialog.get_by_label("Override the gates").check()
    dialog.get_by_role("button", name="Promote v2 anyway").click()
    move = promotions.get_by_role("listitem").filter(has_text="To see what users say")
    expect(move).to_contain_text("from v1 to v2")
    expect(move).to_contain_text("gates overridden")
    assert production(client, judged) == 2

    page.get_by_role("button", name="Roll back…").click()
    expect(dialog).to_contain_text("From v2 back to v1")
    dialog.get_by_label("Reason").fill("Users complained")
    dialog.get_by_role("button", name="Roll back to v1").click()
    expect(promotions.get_by_text("Users complained")).to_be_visible()
    assert production(client, judged) == 1


def test_a_version_shows_its_proof_and_answers_about_ones_own_images(
    page: Page, judged: Digits, tmp_path: Path
) -> None:
    files = [tmp_path / name for name in ("one.png", "two.png")]
    for file, (_, data) in zip(files, digits.images(), strict=False):
        file.write_bytes(data)
    page.goto(f"/app/models/{judged.model}/1")
    expect(page.get_by_role("region", name="Figures by class").get_by_role("row")).to_have_count(11)
    page.get_by_role("button", name="Support").click()
    expect(page.get_by_role("columnheader", name="Support")).to_have_attribute("aria-sort", "descending")
    expect(page.get_by_role("region", name="Confusion matrix").get_by_role("row")).to_have_count(11)
    worst = page.get_by_role("region", name="Worst examples").get_by_role("img").first
    expect(worst).to_have_js_property("naturalWidth", 192)
    expect(page.get_by_role("region", name="Export report")).to_contain_text("100 % of 40 answers are those of torch")

    page.get_by_label("Images to try").set_input_files(files)
    answers = page.get_by_role("list", name="Answers")
    expect(answers.get_by_role("img", name="one.png")).to_be_visible(timeout=ANSWER_MS)
    expect(answers.locator(".answer-bars li")).to_have_count(10)
    page.get_by_label("Activations of each layer").check()
    expect(answers.get_by_role("img", name=re.compile("Activations of")).first).to_be_visible(timeout=ANSWER_MS)
    page.get_by_text("Weights by layer").click()
    expect(page.get_by_role("img", name=re.compile("Weights of")).first).to_be_visible(timeout=ANSWER_MS)
    page.get_by_label("Images to try").set_input_files({"name": "no.png", "mimeType": "image/png", "buffer": b"words"})
    expect(page.get_by_role("alert")).to_contain_text("Choose another image")


def test_versions_and_runs_are_compared_and_a_cell_becomes_a_slice_and_a_queue(
    page: Page, client: Motherlode, judged: Digits
) -> None:
    page.goto(f"/app/models/{judged.model}")
    page.get_by_role("link", name="Compare v1 with v2").click()
    metrics = page.get_by_role("table", name="Metrics of v1 and v2")
    expect(metrics.get_by_role("row", name=re.compile("^Accuracy"))).to_contain_text("%")
    assert violations(page) == []
    matrix = page.get_by_role("region", name="Confusion matrix of v2")
    cell = matrix.get_by_role("link", name=re.compile("taken for")).first
    samples = int(cell.inner_text())
    words = (cell.get_attribute("aria-label") or "").partition(":")[0]
    cell.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{judged.model} v2: {words}")
    pictures = page.get_by_role("region", name=words).get_by_role("img")
    expect(pictures).to_have_count(samples)
    expect(pictures.first).to_have_js_property("naturalWidth", 192)
    assert violations(page) == []
    listed = page.url

    page.get_by_role("button", name="Save as a slice…").click()
    dialog = page.get_by_role("dialog")
    assert violations(page) == []
    dialog.get_by_label("Name of the slice").fill("taken")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("gridcell")).to_have_count(samples)
    page.go_back()
    expect(page).to_have_url(listed)
    page.get_by_role("checkbox", name=re.compile("^Select")).first.check()
    page.get_by_role("button", name="Send to a queue…").click()
    assert violations(page) == []
    dialog.get_by_label("Name of the queue").fill("look-again")
    dialog.get_by_role("button", name="Send").click()
    expect(page).to_have_url(re.compile("/app/label/"))
    expect(page.locator(".stage img")).to_be_visible()
    assert client.queues.get("look-again")["counts"]["total"] == 1
    page.goto(listed)
    page.get_by_role("button", name="Mine for more like these…").click()
    expect(page.get_by_label("Like", exact=True)).not_to_be_empty()
    expect(page.get_by_label("Strategy")).to_have_value("targeted")
    assert violations(page) == []

    page.goto(f"/app/models/{judged.model}")
    ticks = page.get_by_role("region", name="Runs").get_by_role("checkbox")
    ticks.nth(0).check()
    ticks.nth(1).check()
    page.get_by_role("link", name="Compare 2 runs").click()
    settings = page.get_by_role("table", name="Settings of the runs")
    expect(settings.get_by_role("row", name=re.compile("steps"))).to_contain_text("30")
    expect(page.get_by_role("figure").first).to_be_visible()
    assert violations(page) == []


def test_a_run_shows_its_curves_keeps_notes_and_is_cloned(page: Page, client: Motherlode, judged: Digits) -> None:
    page.goto(f"/app/models/{judged.model}/1")
    page.get_by_role("region", name="Lineage").get_by_role("link", name=re.compile("Run")).click()
    for chart in ("Loss", "Learning rate", "Images per second"):
        expect(page.get_by_role("figure", name=chart)).to_be_visible()
    page.get_by_role("textbox", name="Notes").fill("Thirty steps are enough here")
    page.get_by_role("button", name="Save notes").click()
    expect(page.get_by_text("Not saved yet")).to_be_hidden()
    page.reload()
    expect(page.get_by_role("textbox", name="Notes")).to_have_value("Thirty steps are enough here")
    page.get_by_role("button", name="Clone…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("on this machine (from")).to_be_visible()
    dialog.get_by_label("Edit as JSON").check()
    dialog.get_by_label("Settings").fill("{steps: 2}")
    expect(dialog.get_by_text("This is not JSON")).to_be_visible()
    dialog.get_by_label("Settings").fill('{"recipe": {"steps": 3}}')
    dialog.get_by_label("Edit as JSON").uncheck()
    dialog.get_by_text("More settings").click()
    expect(dialog.get_by_label("Steps", exact=True)).to_have_value("3")
    dialog.get_by_label("Learning rate").fill("101")
    expect(dialog.locator(".form-fault")).to_contain_text("100")
    dialog.get_by_label("Learning rate").fill("0.01")
    dialog.get_by_role("button", name="Train").click()
    expect(page.get_by_text("Cloned from")).to_be_visible()
    clone = client.runs.get(int(page.url.rpartition("/")[2]))
    assert clone["config"]["recipe"] == {"steps": 3, "learning_rate": 0.01}
    client.jobs.cancel(clone["job"]["id"])


def production(client: Motherlode, judged: Digits) -> int:
    """The version that serves."""
    aliases = {alias["name"]: alias["version"] for alias in client.models.get(judged.model)["aliases"]}
    return aliases["production"]


def test_a_model_is_made_trained_and_looped_without_a_command_line(page: Page, client: Motherlode) -> None:
    loaded = digits.load(client, "by-hand")
    page.goto("/app/models")
    page.get_by_role("button", name="New model…").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("By Hand")
    pick(dialog.get_by_label("Classes from"), loaded.name)
    dialog.get_by_role("button", name="Create the model").click()
    expect(dialog.locator(".form-fault")).to_be_visible()
    dialog.get_by_label("Name").fill("own-cnn")
    dialog.get_by_role("button", name="Create the model").click()
    page.get_by_role("button", name="Train it…").click()
    pick(dialog.get_by_label("Dataset"), loaded.name)
    dialog.get_by_label("Architecture").select_option("small_cnn")
    dialog.get_by_label("Edit as JSON").check()
    dialog.get_by_label("Settings").fill('{"recipe": {"steps": 3}, "export": {"precisions": []}}')
    dialog.get_by_role("button", name="Train", exact=True).click()
    page.wait_for_url(re.compile("/app/runs/"))
    expect(page.get_by_text("Done", exact=True).first).to_be_visible(timeout=200_000)
    assert client.models.get("own-cnn")["latest"] == 1

    page.goto("/app/pipelines/new")
    page.get_by_label("Name", exact=True).fill("by-hand")
    pick(page.get_by_label("Dataset"), loaded.name)
    page.get_by_role("button", name="Create the pipeline").click()
    expect(page.get_by_role("heading", name="by-hand")).to_be_visible()
    assert client.models.get("by-hand")["classes"] == client.datasets.get(loaded.name)["classes"]
    page.get_by_role("button", name="Start a round").click()
    page.get_by_role("button", name="Cancel round 1…").click()
    expect(dialog).to_contain_text("is kept")
    dialog.get_by_role("button", name="Cancel round 1").click()
    expect(page.get_by_role("table", name=re.compile("Rounds of")).get_by_text("Cancelled").first).to_be_visible()
    page.get_by_role("link", name="New one like it").click()
    expect(page.get_by_label("Dataset")).to_have_value(loaded.name)
    expect(page.get_by_label("Model", exact=True)).to_have_value("a new one")
