"""Datasets in the browser: the grid, versions compared by their pictures, named, forked, merged; files that are dropped
become one."""

import base64
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.journeys import digits
from tests.journeys.digits import Digits
from tests.journeys.picking import pick

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def revised(client: Motherlode) -> Digits:
    """Digits with a sixth version that relabels three, moves two to another split and takes one out."""
    loaded = digits.load(client, "revised")
    client.datasets.commit(
        loaded.name,
        labels={f"train-00{place}.png": {"class": "7"} for place in range(3)},
        samples=[{"key": f"pool-00{place}.png", "split": "val"} for place in range(2)],
        remove=["pool-199.png"],
        message="A second look",
    )
    return loaded


def test_a_dataset_shows_in_a_virtual_grid_with_facets_and_a_drawer(page: Page, small: Digits) -> None:
    page.goto("/app/datasets")
    page.get_by_role("link", name=small.name, exact=True).click()
    grid = page.get_by_role("grid", name="Samples")
    expect(page.get_by_text("300 items")).to_be_visible()
    expect(grid.get_by_role("gridcell").first).to_be_visible()
    assert grid.get_by_role("gridcell").count() < 200  # only what is in view, and a little around it
    page.get_by_role("group", name="Split").get_by_role("button", name="test").click()
    page.get_by_role("group", name="Class", exact=True).get_by_role("button", name=re.compile("^3")).click()
    threes = [key for key, name in small.truth.items() if name == "3" and key.startswith("test")]
    expect(page.get_by_text(f"{len(threes)} items")).to_be_visible()
    expect(grid.get_by_role("gridcell")).to_have_count(len(threes))
    grid.get_by_role("gridcell").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    drawer = page.get_by_role("dialog")
    expect(drawer.get_by_role("heading", name=re.compile("test-"))).to_be_visible()
    expect(drawer.get_by_role("img")).to_have_js_property("naturalWidth", 32)
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    expect(grid.get_by_role("gridcell").nth(1)).to_be_focused()


def test_two_versions_are_compared_by_their_pictures(page: Page, revised: Digits) -> None:
    page.goto(f"/app/datasets/{revised.name}")
    page.get_by_role("link", name="Versions").click()
    page.get_by_label("Compare v5").check()
    page.get_by_label("Compare v6").check()
    page.get_by_role("link", name=re.compile("Compare v5")).click()
    kinds = page.get_by_role("navigation", name="Kinds of change")
    relabelled = [key for key in revised.truth if re.match("train-00[0-2]", key) and revised.truth[key] != "7"]
    expect(kinds.get_by_role("link", name=f"Relabelled {len(relabelled)}")).to_be_visible()
    kinds.get_by_role("link", name="Removed 1").click()
    expect(page.get_by_role("img", name="pool-199.png")).to_have_js_property("naturalWidth", 192)
    kinds.get_by_role("link", name="Split moved 2").click()
    expect(page.get_by_role("button", name=re.compile("pool-001.*pool.*became.*val"))).to_be_visible()
    kinds.get_by_role("link", name=re.compile("Relabelled")).click()
    tile = page.get_by_role("button", name=re.compile(f"{relabelled[0]}.*{revised.truth[relabelled[0]]}.*became.*7"))
    tile.press("Enter")
    drawer = page.get_by_role("dialog", name=relabelled[0])
    expect(drawer.get_by_role("img")).to_have_js_property("naturalWidth", 32)
    expect(drawer.get_by_role("row", name=re.compile("Label"))).to_contain_text("7")
    page.keyboard.press("Escape")
    expect(tile).to_be_focused()
    expect(page.get_by_role("region", name="Samples by split").get_by_text("+2")).to_be_visible()


def test_moved_boxes_are_drawn_before_and_after_over_the_picture(page: Page, client: Motherlode) -> None:
    client.datasets.create("boxes", task="detection", classes=["digit", "smear"])
    png = base64.b64encode(digits.images()[0][1]).decode()
    kept = {"class": "smear", "box": [0, 0, 6, 6]}
    before = [{"class": "digit", "box": [8, 8, 20, 24]}, kept]
    after = [{"class": "digit", "box": [10, 6, 22, 28]}, kept, {"class": "smear", "box": [24, 24, 30, 30]}]
    client.datasets.commit("boxes", samples=[{"key": "a.png", "data": png, "label": {"boxes": before}}])
    client.datasets.commit("boxes", labels={"a.png": {"boxes": [after[0], kept]}})
    client.datasets.commit("boxes", labels={"a.png": {"boxes": after}})
    page.goto("/app/datasets/boxes/diff?from=1&to=2")
    expect(page.get_by_role("link", name="Boxes moved 1")).to_have_attribute("aria-current", "page")
    expect(page.get_by_role("button", name=re.compile("a.png.*1 moved, 1 kept"))).to_be_visible()
    for manner, count in {"before": 1, "after": 1, "kept": 1}.items():
        expect(page.locator(f".box-layer.{manner} .line")).to_have_count(count)
    drawn = page.locator(".box-layer.after .line").first
    assert [drawn.get_attribute(name) for name in ("x", "y", "width", "height")] == ["10", "6", "12", "22"]
    pick(page.get_by_label("To version"), re.compile("^v3"))
    expect(page.get_by_role("button", name=re.compile("a.png.*1 moved, 1 new, 1 kept"))).to_be_visible()
    expect(page.get_by_role("region", name="Boxes by class").get_by_text("+1")).to_be_visible()


def test_a_tag_stays_and_an_alias_moves(page: Page, client: Motherlode, revised: Digits) -> None:
    page.goto(f"/app/datasets/{revised.name}/versions")
    page.get_by_role("button", name="Tag…").click()
    page.get_by_label("Tag", exact=True).fill("v6")
    page.get_by_role("button", name="Tag v6").click()
    expect(page.get_by_role("dialog")).to_contain_text("numbers and `v1` are versions already")
    page.get_by_label("Tag", exact=True).fill("release-1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("row", name=re.compile("release-1")).first).to_be_visible()
    for number in (5, 6):
        if number == 5:
            page.get_by_role("button", name="v5").click()
        else:
            page.get_by_role("button", name="v6").click()
        page.get_by_role("button", name="Move an alias here…").click()
        page.get_by_label("Alias", exact=True).fill("golden")
        page.keyboard.press("Enter")
        expect(page.get_by_role("row", name=re.compile(f"^Compare v{number} .*golden"))).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("golden"))).to_have_count(2)  # the version and what is open of it


def test_a_fork_goes_its_own_way_and_is_merged_back(page: Page, client: Motherlode, revised: Digits) -> None:
    page.goto(f"/app/datasets/{revised.name}/versions")
    page.get_by_role("button", name="Fork…").click()
    page.get_by_label("Name", exact=True).fill("revised-night")
    page.get_by_role("button", name="Fork", exact=True).click()
    expect(page.get_by_role("heading", name="revised-night")).to_be_visible()
    expect(page.get_by_text("299 items")).to_be_visible()
    client.datasets.commit("revised-night", labels={"pool-050.png": {"class": "1"}})
    assert client.datasets.get(revised.name)["counts"]["labelled"] == 100
    page.get_by_role("link", name="Versions").click()
    page.get_by_role("button", name=f"Merge into {revised.name}…").click()
    page.get_by_label("Message", exact=True).fill("What the night brought")
    page.get_by_role("button", name="Merge", exact=True).click()
    expect(page.get_by_role("link", name="Relabelled 1")).to_be_visible()
    assert client.datasets.get(revised.name)["counts"]["labelled"] == 101


def test_a_dropped_folder_becomes_one_version_with_its_folders_as_labels(
    page: Page, client: Motherlode, tmp_path: Path
) -> None:
    client.datasets.create("dropped", classes=digits.CLASSES)
    folder = tmp_path / "scans"
    four = digits.images()[:4]
    for name, data in four:
        place = folder / "train" / name / f"{name} – größer.png"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    (folder / "notes.docx").write_bytes(b"not an image")
    page.goto("/app/datasets/dropped")
    expect(page.get_by_text("This dataset has no version yet")).to_be_visible()
    page.get_by_role("button", name="Add files").click()
    page.get_by_label("Choose a folder").set_input_files(folder)
    expect(page.get_by_text("1 other file stays behind")).to_be_visible()
    page.get_by_label("Message", exact=True).fill("From the browser")
    page.get_by_role("button", name="Add 4 files").click()
    expect(page.get_by_role("dialog").get_by_text("Version 1:")).to_be_visible()
    page.get_by_role("button", name="Close").last.click()
    expect(page.get_by_text("4 items")).to_be_visible()
    found = {sample["key"]: sample["label"] for sample in client.datasets.samples("dropped", split="train")}
    assert found == {f"train/{name}/{name} – größer.png": {"class": name} for name, _ in four}

    archive = tmp_path / "more.zip"
    with zipfile.ZipFile(archive, "w") as made:
        for name, png in digits.images()[4:7]:
            made.writestr(f"val/{name}/again-{name}.png", png)
    page.get_by_role("button", name="Add files").click()
    page.get_by_label("Choose files").set_input_files(archive)
    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("more.zip")
    page.get_by_role("button", name="Add the archive").click()
    expect(page.get_by_role("dialog").get_by_text("Version 2:")).to_be_visible(timeout=60_000)
    assert len(list(client.datasets.samples("dropped", split="val"))) == 3


def test_an_export_is_followed_to_its_archive(page: Page, revised: Digits, tmp_path: Path) -> None:
    page.goto(f"/app/datasets/{revised.name}?v=5")
    page.get_by_role("button", name="Export").click()
    dialog = page.get_by_role("dialog", name=f"Export {revised.name}")
    expect(dialog.get_by_label("Version", exact=True)).to_have_value("v5")
    dialog.get_by_label("Format").select_option("image_folder")
    dialog.get_by_label("Split").select_option("train")
    dialog.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        dialog.get_by_role("link", name="Download the archive").click(timeout=60_000)
    archive = tmp_path / "export.zip"
    download.value.save_as(archive)
    with zipfile.ZipFile(archive) as found:
        images = {name for name in found.namelist() if name.endswith(".png")}
    assert len(images) == 40
    page.reload()
    page.get_by_role("button", name="Export").click()
    expect(dialog.get_by_role("link", name=re.compile("download v5 as image_folder"))).to_be_visible()


def test_what_the_grid_shows_is_kept_as_a_slice(page: Page, client: Motherlode, revised: Digits) -> None:
    page.goto(f"/app/datasets/{revised.name}?split=train&label=7")
    amount = sum(1 for _ in client.datasets.samples(revised.name, split="train", label="7"))
    expect(page.get_by_text(f"{amount} items")).to_be_visible()
    page.get_by_role("button", name="Save as a slice…").click()
    page.get_by_label("Name", exact=True).fill("sevens")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("combobox", name="Slice")).to_have_value("sevens")
    expect(page.get_by_text(f"{amount} items")).to_be_visible()
    assert page.url.endswith("?slice=sevens")
    page.get_by_role("gridcell").first.click()
    history = page.get_by_role("dialog").get_by_role("region", name="History")
    expect(history.get_by_role("link").first).to_be_visible()
