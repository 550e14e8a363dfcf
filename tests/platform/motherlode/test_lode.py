"""The `lode` command, as it is typed."""

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from tests import commands
from tests.platform.motherlode.canned import Answer, CannedServer, problem

ROOT = Path(__file__).resolve().parents[3]
ZIP = b"PK\x03\x04 and so on: the archive"


def lode(server: CannedServer, *words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return commands.lode(words, env=environment(server), cwd=cwd)


def environment(server: CannedServer) -> dict[str, str]:
    return {"MOTHERLODE_URL": server.url, "MOTHERLODE_TOKEN": "secret", "COLUMNS": "200"}


def test_it_is_a_program_whose_exit_code_and_words_are_those_of_its_command(server: CannedServer) -> None:
    server.script["GET /datasets/cats"] = [problem(404, "dataset_unknown", detail="There is no dataset 'cats'.")] * 2
    inside = lode(server, "dataset", "show", "cats")
    env = os.environ | environment(server) | {"PYTHONPATH": str(ROOT / "platform")}
    argv = [sys.executable, "-m", "motherlode", "dataset", "show", "cats"]
    alone = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
    assert (alone.returncode, alone.stdout, alone.stderr) == (inside.returncode, inside.stdout, inside.stderr)


def test_an_error_is_printed_with_its_code_its_detail_and_the_fix(server: CannedServer) -> None:
    server.script["GET /datasets/cats"] = [problem(404, "dataset_unknown", detail="There is no dataset 'cats'.")]
    done = lode(server, "dataset", "show", "cats")
    assert done.returncode == 1
    assert "dataset_unknown" in done.stderr
    assert "There is no dataset 'cats'." in done.stderr
    assert "lode dataset list" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_archive_is_pushed_as_it_is_and_what_was_rejected_is_said(server: CannedServer, tmp_path: Path) -> None:
    (tmp_path / "cats.zip").write_bytes(ZIP)
    rejected = [{"key": "cat/2\n\x1b[31m日.png", "code": "image_unreadable", "detail": "te\nxt"}]
    commit = {"version": 3, "parent": 2, "added": 1, "updated": 0, "removed": 0, "labelled": 1, "unchanged": 0}
    server.script["POST /datasets/cats"] = [Answer(201, commit | {"rejected": rejected})]
    done = lode(server, "dataset", "push", str(tmp_path / "cats.zip"), "cats", "--split", "train")
    assert done.returncode == 3, done.stderr
    assert "cats is at version 3: 1 added, 1 labelled" in done.stdout
    assert "  rejected cat/2\\n\\x1b[31m日.png: image_unreadable te\\nxt\n" in done.stderr
    assert b"the archive" in server.asked[0].body
    swapped = lode(server, "dataset", "push", "cats", "cats.zip", cwd=tmp_path)
    assert swapped.returncode == 3, swapped.stderr


def test_alike_refusals_are_one_line_with_their_number(server: CannedServer, tmp_path: Path) -> None:
    (tmp_path / "cats.zip").write_bytes(ZIP)
    unknown = {"code": "unknown_class", "detail": "label: unknown class 'cow'"}
    rejected = [{"key": f"cow/{n}.png"} | unknown for n in range(60)]
    rejected.append({"key": "notes.txt", "code": "not_an_image", "detail": "text"})
    commit = {"version": 3, "parent": 2, "added": 1, "updated": 0, "removed": 0, "labelled": 1, "unchanged": 0}
    server.script["POST /datasets/cats"] = [Answer(201, commit | {"rejected": rejected})]
    done = lode(server, "dataset", "push", str(tmp_path / "cats.zip"), "cats")
    assert "1 added, 1 labelled, 61 rejected" in done.stdout
    assert done.stderr.count("unknown class 'cow'") == 1
    assert "and 59 more for this reason, cow/1.png, cow/2.png, cow/3.png …" in done.stderr
    assert "rejected notes.txt: not_an_image text" in done.stderr


def test_the_exit_code_tells_all_taken_some_refused_and_nothing_taken(server: CannedServer, tmp_path: Path) -> None:
    (tmp_path / "cats.zip").write_bytes(ZIP)
    words = ("dataset", "push", str(tmp_path / "cats.zip"), "cats")
    commit = {"version": 3, "parent": 2, "added": 1, "updated": 0, "removed": 0, "labelled": 1, "unchanged": 0}
    lost = {"code": "points", "reason": "points", "objects": 4, "images": 2, "examples": ["1.png", "2.png"]}
    broken = [{"key": "a.xml", "code": "annotations_unreadable", "detail": "a.xml, line 3: not XML"}]
    server.script["POST /datasets/cats"] = [
        Answer(201, commit | {"rejected": [], "incomplete": []}),
        Answer(201, commit | {"rejected": [], "incomplete": [lost]}),
        problem(
            400,
            "not_all_accepted",
            detail="1 item could not be taken. The first: a.xml, line 3: not XML",
            rejected=broken,
        ),
        problem(400, "nothing_accepted", detail="Nothing could be taken of 1 item.", rejected=broken),
        problem(400, "invalid", detail="no"),
    ]
    done = [lode(server, *words), lode(server, *words), lode(server, *words, "--strict", "--keep-partial")]
    done += [lode(server, *words), lode(server, *words)]
    assert [one.returncode for one in done] == [0, 3, 4, 4, 1]
    assert "4 objects in 2 images can't be kept: points; the first: 1.png, 2.png" in done[1].stderr
    assert "rejected a.xml: annotations_unreadable a.xml, line 3: not XML" in done[2].stderr
    assert done[2].stderr.count("line 3: not XML") == 1, "a reason is said once"
    assert b'name="strict"\r\n\r\ntrue' in server.asked[2].body
    assert b'name="partial"\r\n\r\nkeep' in server.asked[2].body


def test_whatever_is_passed_over_ends_with_3_and_a_number(server: CannedServer, tmp_path: Path) -> None:
    (tmp_path / "cats.zip").write_bytes(ZIP)
    commit = {"version": 3, "parent": 2, "added": 1, "updated": 0, "removed": 0, "labelled": 1, "unchanged": 0,
              "rejected": [], "incomplete": []}  # fmt: skip
    missing = {"code": "image_missing", "what": "annotated images that are not here", "count": 1200, "first": "7.png"}
    field = {"code": "field_left_out", "what": "the field 'x' of an image is not kept", "count": 2, "first": ""}
    server.script["POST /datasets/cats"] = [
        Answer(201, commit | {"notes": ["ellipses were kept as polygons (2)"], "passed_over": []}),
        Answer(201, commit | {"notes": [], "passed_over": [missing, field]}),
    ]
    words = ("dataset", "push", str(tmp_path / "cats.zip"), "cats")
    whole, partly = lode(server, *words), lode(server, *words)
    assert [whole.returncode, partly.returncode] == [0, 3]
    assert "note: ellipses were kept as polygons (2)" in whole.stderr
    assert "1 added, 1 labelled, 1,202 passed over" in partly.stdout
    assert "passed over: annotated images that are not here (1,200; the first: 7.png)" in partly.stderr
    assert "passed over: the field 'x' of an image is not kept (2)\n" in partly.stderr


def test_a_push_without_a_folder_or_a_dataset_says_what_is_missing(server: CannedServer, tmp_path: Path) -> None:
    assert "there is no folder or file" in lode(server, "dataset", "push", "nowhere", "cats").stderr
    assert "name the dataset" in lode(server, "dataset", "push", str(tmp_path)).stderr
    server.script["GET /datasets/cats"] = [Answer(200, {"name": "cats"})]
    empty = lode(server, "dataset", "push", str(tmp_path), "cats")
    assert "folder_empty" in empty.stderr


@pytest.mark.parametrize("direct", [[], ["--direct"]])
def test_a_file_that_is_no_archive_is_refused_before_it_is_sent(
    server: CannedServer, tmp_path: Path, direct: list[str]
) -> None:
    (tmp_path / "labels.txt").write_text("1.jpg cat")
    done = lode(server, "dataset", "push", str(tmp_path / "labels.txt"), "cats", *direct)
    assert done.returncode == 1
    for words in (
        "archive_unsupported",
        "labels.txt",
        "a folder of images, or a .zip, .tar or .tar.gz",
        "--annotations",
    ):
        assert words in done.stderr
    assert not server.asked


def test_objects_of_a_bucket_are_imported_from_the_one_source_that_has_it(server: CannedServer) -> None:
    lake = {"name": "lake", "buckets": {"drives": ["2025/"], "both": [""]}}
    server.script["GET /sources"] = [
        Answer(200, {"results": [lake, {"name": "b", "buckets": {"both": [""]}}], "next": None})
    ]
    commit = {"version": 3, "parent": 2, "added": 7, "updated": 0, "removed": 0, "labelled": 0, "unchanged": 0}
    progress = {"done": 7, "total": 7, "rate": None, "eta": None, "unit": "images"}
    job = {"id": 1, "kind": "import", "title": "Import", "state": "succeeded", "progress": progress, "error": None,
           "result": commit | {"rejected": []}, "log": [], "points": [], "next": 0}  # fmt: skip
    server.script["POST /datasets/cats/imports"] = [Answer(202, {"job": job})]
    waits = {"seq": 1, "time": "", "level": "warning", "message": "Shard 0 waits: the object store does not answer."}
    server.script["GET /jobs/1"] = [Answer(200, job | {"state": "running", "log": [waits]}), Answer(200, job)]
    done = lode(server, "dataset", "import", "s3://drives/2025/07/", "cats", "--reference")
    assert done.returncode == 0, done.stderr
    assert "cats is at version 3: 7 added" in done.stdout
    assert "Shard 0 waits: the object store does not answer." in done.stderr
    asked = next(asked for asked in server.asked if asked.method == "POST").document
    assert (asked["s3"], asked["mode"]) == (
        {"source": "lake", "bucket": "drives", "prefix": "2025/07/"}, "reference",
    )  # fmt: skip
    lode(server, "dataset", "import", "s3://drives/2025/a#1/?b/", "cats")  # a key is not a URL: all of it is the prefix
    assert [one.document["s3"]["prefix"] for one in server.asked if one.method == "POST"][-1] == "2025/a#1/?b/"
    assert "choose one with --source" in lode(server, "dataset", "import", "s3://both/", "cats").stderr
    assert "no source has it" in lode(server, "dataset", "import", "s3://none/", "cats").stderr
    assert "s3://BUCKET/PREFIX" in lode(server, "dataset", "import", "drives/2025", "cats").stderr


EXPORT = {
    "id": 7, "url": "/datasets/1/exports/7/archive", "format": "coco", "version": 3, "split": None, "samples": 9,
    "slice": None, "filter": None,
    "bytes": 18, "notes": ["metadata 'night' (2; the first: a.png)"],
}  # fmt: skip


def job(state: str, result: object) -> dict[str, object]:
    progress = {"done": 9, "total": 9, "rate": None, "eta": None, "unit": "images"}
    facts = {
        "id": 5,
        "kind": "export",
        "title": "Export",
        "error": None,
        "created": "",
        "started": None,
        "finished": None,
    }
    return facts | {"state": state, "result": result, "progress": progress, "log": [], "points": [], "next": 0}


def test_an_export_is_waited_for_and_downloaded_whole(server: CannedServer, tmp_path: Path) -> None:
    server.script["POST /datasets/cats/exports"] = [Answer(202, {"id": 7, "job": job("queued", None)})]
    server.script["GET /jobs/5"] = [Answer(200, job("running", None)), Answer(200, job("succeeded", {"export": 7}))]
    server.script["GET /datasets/cats/exports"] = [Answer(200, {"results": [EXPORT | {"id": 8}, EXPORT], "next": None})]
    server.script["GET /datasets/1/exports/7/archive"] = [
        problem(409, "export_unfinished"),
        Answer(200, {"zip": "archive"}),
    ]
    words = ("dataset", "export", "cats", "--format", "coco", "--version", "v3")
    assert lode(server, *words, cwd=tmp_path).returncode == 1
    assert list(tmp_path.iterdir()) == []
    done = lode(server, *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "cats-v3-coco.zip").read_bytes() == b'{"zip": "archive"}'
    assert "9 samples of version 3" in done.stdout
    assert "not kept: metadata 'night'" in done.stderr
    assert server.asked[0].document == {"version": "v3", "format": "coco"}


def test_a_field_inside_another_is_named_once(server: CannedServer) -> None:
    wrong = {"errors": {"config.params.size": ["is not a field here"]}, "detail": "params.size: is not a field here"}
    server.script["GET /datasets"] = [problem(400, "invalid", **wrong)]
    assert lode(server, "dataset", "list").stderr.count("is not a field here") == 1


def test_a_model_is_written_whole_or_not_at_all(server: CannedServer, tmp_path: Path) -> None:
    path = "GET /models/m/versions/production/artifacts/model.onnx"
    server.script[path] = [problem(404, "artifact_unknown"), Answer(200, {"onnx": "bytes"})]
    assert lode(server, "model", "download", "m", cwd=tmp_path).returncode == 1
    assert list(tmp_path.iterdir()) == []
    assert lode(server, "model", "download", "m", cwd=tmp_path).returncode == 0
    assert (tmp_path / "model.onnx").read_bytes() == b'{"onnx": "bytes"}'


def test_the_command_line_loads_neither_django_nor_numpy() -> None:
    heavy = "('django', 'torch', 'numpy')"
    code = f"import sys, motherlode.cli; motherlode.cli.build(); print([n for n in {heavy} if n in sys.modules])"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "platform")}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_unknown_token_is_said_to_be_whose_and_asked_where(server: CannedServer) -> None:
    server.script["GET /datasets"] = [problem(401, "not_authenticated", detail="This token is unknown or revoked.")]
    done = lode(server, "dataset", "list")
    assert done.returncode == 1
    assert f"The platform asked is {server.url}; the token is from MOTHERLODE_TOKEN." in done.stderr


def test_names_are_printed_as_they_are(server: CannedServer) -> None:
    names = ["[/x]", "[red]b", "a:cat:b", "tench, Tinca tinca", '"a"', 'an "a"', "x" * 200]
    counts = {"samples": 1, "labelled": 1, "by_split": {"train": 1}, "by_class": {}}
    server.script["GET /datasets/cats"] = [
        Answer(200, {"name": "cats", "task": "classification", "classes": names, "counts": counts})
    ]
    server.script["GET /datasets/cats/versions"] = [Answer(200, {"results": [], "next": None})]
    done = lode(server, "dataset", "show", "cats")
    assert done.returncode == 0, done.stderr
    shown = f'[/x], [red]b, a:cat:b, "tench, Tinca tinca", """a""", an "a", {"x" * 200}'
    assert f"classification of {shown}\n" in done.stdout
    server.script["POST /datasets"] = [Answer(201, {"name": "pets", "classes": names})]
    assert lode(server, "dataset", "create", "pets", "--classes", shown).returncode == 0
    assert server.asked[-1].document["classes"] == names


def test_what_another_program_reads_has_one_line_a_row(server: CannedServer) -> None:
    rows = [{"version": 2, "parent": 1, "added": 3, "updated": 0, "removed": 0, "labelled": 3, "author": "ada",
             "message": "what the car saw " * 9, "created": "2026-01-02T03:04:05.678901Z"}] * 2  # fmt: skip
    server.script["GET /datasets/cats/versions"] = [Answer(200, {"results": rows, "next": None})]
    env = os.environ | environment(server) | {"PYTHONPATH": str(ROOT / "platform")}
    del env["COLUMNS"]
    argv = [sys.executable, "-m", "motherlode", "dataset", "log", "cats"]
    done = subprocess.run(argv, env=env, capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["version", "2", "2"]
    assert done.stdout.count("2026-01-02T03:04:05.678901Z") == 2


def test_it_tells_its_version_without_a_platform(server: CannedServer) -> None:
    assert lode(server, "--version").stdout.strip() == f"lode {metadata.version('motherlode')}"
    assert not server.asked


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("cat, dog", ["cat", "dog"]),
        ('"tench, Tinca tinca", goldfish', ["tench, Tinca tinca", "goldfish"]),
        ('cat\ndog\n5" pipe', ["cat", "dog", '5" pipe']),
    ],
)
@pytest.mark.parametrize("noun", ["dataset", "model"])
def test_a_class_may_have_a_comma_in_its_name(server: CannedServer, noun: str, typed: str, meant: list[str]) -> None:
    server.script[f"POST /{noun}s"] = [Answer(201, {"name": "pets", "classes": meant})]
    done = lode(server, noun, "create", "pets", "--classes", typed)
    assert done.returncode == 0, done.stderr
    assert server.asked[0].document["classes"] == meant


def test_a_quote_of_a_class_that_does_not_end_is_refused(server: CannedServer) -> None:
    done = lode(server, "dataset", "create", "pets", "--classes", '"tench, goldfish')
    assert done.returncode == 2
    assert "ends with a double quote" in done.stderr
    assert not server.asked


@pytest.mark.parametrize(
    "words",
    [
        ("dataset", "push", "", "pets"),
        ("dataset", "push", "pets", ""),
        ("dataset", "pull", "pets", ""),
        ("lake", "push", "pets", ""),
        ("admin", "backup", ""),
    ],
)
def test_an_empty_path_is_not_this_folder(server: CannedServer, tmp_path: Path, words: tuple[str, ...]) -> None:
    """As a shell leaves it where a variable is not set: with `--delete` all else would go out of the dataset."""
    (tmp_path / "1.jpg").write_bytes(b"an image")
    done = lode(server, *words, cwd=tmp_path)
    assert done.returncode == 2
    assert "an empty path names nothing" in done.stderr
    assert not server.asked


@pytest.mark.parametrize("words", [("dataset", "pull", "pets"), ("admin", "backup"), ("admin", "restore")])
def test_a_file_is_no_folder(server: CannedServer, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "1.jpg").write_bytes(b"an image")
    done = lode(server, *words, "1.jpg", cwd=tmp_path)
    assert done.returncode == 2
    assert "1.jpg is a file: name a folder" in done.stderr
    assert not server.asked


def test_ctrl_c_while_it_starts_ends_it_without_a_traceback() -> None:
    code = (
        "import sys\n"
        "class Pressed:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'motherlode.client':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Pressed())\n"
        "from motherlode.cli import main\n"
        "main()\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT / "platform")}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
