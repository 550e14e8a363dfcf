"""What people bring through the browser alone: frames for a lake, a model's file, a pair of encoders."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.journeys import digits
from tests.journeys.axe import violations
from tests.journeys.digits import Digits
from tests.journeys.people import Open
from tests.journeys.picking import pick
from tests.linear_model import linear_model
from tests.tiny_encoders import image_encoder, text_encoder, tokenizer

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser
CHECKED = 2 * 60_000
"""Milliseconds: a network is run once by a program of its own, on a busy machine."""


def test_frames_come_into_a_lake_and_a_part_leaves_it(open_as: Open, client: Motherlode, tmp_path: Path) -> None:
    client.datasets.create("brought", classes=["a", "b"])
    folder = tmp_path / "day-2"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.png").write_bytes(digits.images()[number][1])
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nno more")
    (folder / "notes.csv").write_text("a\n")
    page = open_as().page
    page.goto("/app/datasets/brought/lake")
    page.get_by_role("button", name="Add frames").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Choose a folder").set_input_files(folder)
    expect(dialog.get_by_text("1 other file stays behind")).to_be_visible()
    expect(dialog.get_by_label("Keys begin with")).to_have_value("day-2/")
    faults = {"chosen": violations(page)}
    dialog.get_by_role("button", name="Add 4 images").click()
    expect(dialog.get_by_text("added to the lake; 1 file was refused.")).to_be_visible(timeout=CHECKED)
    expect(dialog.get_by_role("list", name="Not taken")).to_contain_text("day-2/broken.png")
    faults["filled"] = violations(page)
    dialog.get_by_role("button", name="Close").last.click()
    expect(page.get_by_text("day-2/0.png to day-2/2.png")).to_be_visible()
    assert [frame["key"] for frame in client.lakes.frames("brought")] == [f"day-2/{number}.png" for number in range(3)]

    page.get_by_role("button", name=re.compile("^Remove")).click()
    dialog.get_by_role("button", name="Remove the part").click()
    expect(page.get_by_text("This lake is empty.")).to_be_visible()
    assert client.lakes.get("brought")["frames"] == 0
    assert {what: found for what, found in faults.items() if found} == {}


def test_a_file_of_ones_own_becomes_a_version(open_as: Open, client: Motherlode, small: Digits, tmp_path: Path) -> None:
    classes = client.datasets.get(small.name)["classes"]
    client.models.create("theirs", classes=classes)
    onnx = tmp_path / "theirs.onnx"
    made = linear_model(metadata=False, outputs=("logits",), size=(1, 28, 28), classes=classes)
    onnx.write_bytes(made.SerializeToString())
    page = open_as().page
    page.goto("/app/models/theirs")
    page.get_by_role("button", name="Upload…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("ONNX file").set_input_files(onnx)
    pick(dialog.get_by_label("Prove and evaluate on"), small.name)
    dialog.get_by_text("How it reads images").click()
    dialog.get_by_label("Input size").fill("1, 28, 28")
    dialog.get_by_label("Mean", exact=True).fill("0.1, 0.2")
    dialog.get_by_role("button", name="Upload").click()
    expect(dialog.get_by_text("wants 1 number, one a channel, not 2")).to_be_visible(timeout=CHECKED)
    faults = violations(page)
    dialog.get_by_label("Mean", exact=True).fill("0.1")
    dialog.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", name="theirs v1")).to_be_visible(timeout=CHECKED)
    assert client.models.version("theirs", 1)["dataset"] == small.name
    assert faults == []


def test_a_pair_of_encoders_is_added_and_removed(open_as: Open, client: Motherlode, tmp_path: Path) -> None:
    files = {"Image encoder": image_encoder(), "Text encoder": text_encoder(), "Tokenizer": tokenizer().encode()}
    page = open_as().page
    page.goto("/app/encoders")
    page.get_by_role("button", name="Add an encoder…").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("colours")
    for label, data in files.items():
        (tmp_path / label).write_bytes(data)
        dialog.get_by_label(label, exact=True).set_input_files(tmp_path / label)
    faults = violations(page)
    dialog.get_by_role("button", name="Add the encoder").click()
    row = page.get_by_role("row", name=re.compile("colours"))
    expect(row).to_contain_text("images of 3 × 16 × 16, 77 tokens", timeout=CHECKED)
    faults += violations(page)
    row.get_by_role("button", name=re.compile("^Remove")).click()
    dialog.get_by_role("button", name="Remove the encoder").click()
    expect(page.get_by_text("There are no encoders.")).to_be_visible()
    assert list(client.encoders.all()) == []
    assert faults == []
