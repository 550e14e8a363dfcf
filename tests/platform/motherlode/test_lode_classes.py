"""`lode dataset create --classes-from`: classes out of a folder, an archive or an annotation file."""

import json
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests.platform.motherlode.canned import Answer, CannedServer
from tests.platform.motherlode.test_lode import lode

PNG = b"\x89PNG\r\n\x1a\n"
COCO = json.dumps({"images": [], "annotations": [], "categories": [{"id": 1, "name": "car, red"}]})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("train/10/ü 1.png", "train/9/1", "test/9/2.png", "__MACOSX/x/1.png", ".hidden/1.png"):
        path = tmp_path / "pets" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(PNG)
    return tmp_path / "pets"


def packed(folder: Path, form: str) -> Path:
    target = folder.parent / f"pets.{form}"
    if form == "zip":
        with zipfile.ZipFile(target, "w") as archive:
            for path in sorted(folder.rglob("*")):
                archive.write(path, path.relative_to(folder))
    elif form:
        with tarfile.open(target, "w:gz" if form == "tar.gz" else "w") as tar:
            tar.add(folder, ".")
    return target if form else folder


@pytest.mark.parametrize("form", ["", "zip", "tar", "tar.gz"])
def test_folders_of_images_are_classes(server: CannedServer, folder: Path, form: str) -> None:
    server.script["POST /datasets"] = [Answer(201, {"name": "pets", "classes": ["9", "10"]})]
    source = packed(folder, form)
    done = lode(server, "dataset", "create", "pets", "--classes-from", str(source))
    assert done.returncode == 0, done.stderr
    assert (server.asked[0].document["classes"], server.asked[0].document["task"]) == (["9", "10"], "classification")
    assert "classes, of 2 folders (test/9/, train/10/): 9, 10" in done.stdout
    assert f"next: lode dataset push {source} pets" in done.stdout


@pytest.mark.parametrize("form", ["zip", "tar.gz", "json"])
def test_annotation_files_tell_classes_and_that_there_are_objects(
    server: CannedServer, tmp_path: Path, form: str
) -> None:
    folder = tmp_path / "roads"
    folder.mkdir()
    (folder / "coco.json").write_text(COCO)
    (folder / "broken.json").write_text("{")
    (folder / "1.png").write_bytes(PNG)
    source = folder / "coco.json" if form == "json" else packed(folder, form)
    server.script["POST /datasets"] = [Answer(201, {"name": "roads", "classes": ["car, red"]})]
    done = lode(server, "dataset", "create", "roads", "--classes-from", str(source), "--json")
    assert done.returncode == 0, done.stderr
    assert (server.asked[0].document["classes"], server.asked[0].document["task"]) == (["car, red"], "detection")
    told = json.loads(done.stdout)["classes_from"]
    assert [fault.partition(",")[0] for fault in told.pop("faults")] == told["unread"]
    assert told == {
        "names": ["car, red"], "places": ["coco.json"], "from_folders": False, "objects": True, "splits": [],
        "unread": [] if form == "json" else ["broken.json"],
    }  # fmt: skip


def test_a_task_that_is_named_stands(server: CannedServer, tmp_path: Path) -> None:
    (tmp_path / "coco.json").write_text(COCO)
    server.script["POST /datasets"] = [Answer(201, {"name": "roads", "classes": ["car, red"]})]
    words = ("--classes-from", str(tmp_path / "coco.json"), "--task", "segmentation")
    done = lode(server, "dataset", "create", "roads", *words)
    assert "task:" not in done.stdout
    assert '(coco.json): "car, red"\n' in done.stdout
    assert server.asked[0].document["task"] == "segmentation"


def test_what_tells_no_classes_is_refused_with_the_fix(server: CannedServer, tmp_path: Path) -> None:
    (tmp_path / "pool").mkdir()
    (tmp_path / "pool" / "1.png").write_bytes(PNG)
    done = lode(server, "dataset", "create", "pets", "--classes-from", str(tmp_path))
    assert (done.returncode, "no_classes" in done.stderr, "--classes" in done.stderr) == (1, True, True)
    cut = packed(tmp_path / "pool", "tar.gz")
    cut.write_bytes(cut.read_bytes()[:40])
    assert "--classes" in lode(server, "dataset", "create", "pets", "--classes-from", str(cut)).stderr
    for words in ((), ("--classes", "a", "--classes-from", str(tmp_path))):
        done = lode(server, "dataset", "create", "pets", *words)
        assert (done.returncode, "--classes-from" in done.stderr) == (2, True)
    assert not server.asked


def test_classes_that_differ_in_case_or_spaces_alone_are_named(server: CannedServer, tmp_path: Path) -> None:
    server.script["POST /datasets"] = [Answer(201, {"name": "pets", "classes": ["car", "Car ", "bus", "buses"]})]
    table = tmp_path / "labels.csv"
    table.write_text('file,class\na.jpg,car\nb.jpg,Car\nc.jpg,"c ar"\nd.jpg,bus\ne.jpg,buses\n')
    done = lode(server, "dataset", "create", "pets", "--classes-from", str(table))
    assert done.returncode == 0
    assert done.stderr.count("differ in case or spaces alone") == 1
    assert "3 classes whose names differ in case or spaces alone: 'car', 'Car', 'c ar'" in done.stderr
