"""`lode dataset push --convert`: images of other kinds go along, once; a pull leaves the originals where they lie."""

import json
import tarfile
from pathlib import Path

import pytest
from tests.datasets.conftest import encoded, png
from tests.datasets.transfers.conftest import Lode, bytes_of

from motherlode.cli.terminal import SOME_REFUSED

pytestmark = [pytest.mark.django_db(transaction=True)]


def test_a_folder_with_drawings_is_pushed_pulled_and_pushed_again(lode: Lode, tmp_path: Path) -> None:
    folder, files = tmp_path / "in", {"a.tif": encoded("TIFF", 1, (300, 300)), "b.bmp": encoded("BMP", 2, (40, 30))}
    folder.mkdir()
    for name, content in (files | {"1.png": png()}).items():
        (folder / name).write_bytes(content)
    plain = json.loads(lode("push", str(folder), "digits", "--json", code=SOME_REFUSED))
    assert (plain["commit"]["added"], plain["commit"]["converted"]) == (1, 0)
    assert {item["key"] for item in plain["commit"]["rejected"]} == files.keys()
    assert all("--convert" in item["detail"] for item in plain["commit"]["rejected"])
    assert "converted: 2 of them; the originals are kept" in lode("push", str(folder), "digits", "--convert")
    again = json.loads(lode("push", str(folder), "digits", "--convert", "--json"))
    assert (again["sent_files"], again["commit"]["version"], again["commit"]["unchanged"]) == (0, 2, 3)

    elsewhere = tmp_path / "out"
    assert "left alone" not in lode("pull", "digits", str(elsewhere))
    assert {name: content[:4] for name, content in bytes_of(elsewhere).items()} == dict.fromkeys(
        [*files, "1.png"], b"\x89PNG"
    )
    assert json.loads(lode("push", str(elsewhere), "digits", "--json"))["commit"]["unchanged"] == 3

    pulled = json.loads(lode("pull", "digits", str(folder), "--json"))
    assert (sorted(pulled["kept_originals"]), pulled["fetched_files"]) == (["a.tif", "b.bmp"], 0)
    assert {name: (folder / name).read_bytes() for name in files} == files
    rebased = json.loads(lode("push", str(folder), "digits", "--convert", "--json", "--rebase", "--parent", "0"))
    assert rebased["commit"]["version"] == 2  # what is there is what we say, by another digest
    (folder / "b.bmp").unlink()
    gone = json.loads(lode("push", str(folder), "digits", "--convert", "--delete", "--json"))
    assert (gone["commit"]["removed"], gone["commit"]["unchanged"]) == (1, 2)


def test_an_archive_is_converted_on_request(lode: Lode, tmp_path: Path) -> None:
    (tmp_path / "a.tif").write_bytes(encoded("TIFF", 1, (40, 30)))
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        archive.add(tmp_path / "a.tif", "a.tif")
    assert "converted: 1 of them" in lode("push", str(tmp_path / "a.tar"), "digits", "--convert")
