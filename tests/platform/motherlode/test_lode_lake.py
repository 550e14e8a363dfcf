"""`lode lake push` of a folder: what is there already, what is not, and what stays behind."""

from pathlib import Path

from tests.platform.motherlode.canned import Answer, CannedServer
from tests.platform.motherlode.test_lode import lode

PNG = b"\x89PNG\r\n\x1a\n"


def test_images_that_came_later_into_a_folder_that_is_in_the_lake_are_told(
    server: CannedServer, tmp_path: Path
) -> None:
    for name in ("a.png", "b.png", "c.png"):
        (tmp_path / name).write_bytes(PNG)
    frames = [{"key": key} for key in ("b.png", "d.png", "x.png")]
    server.script["GET /datasets/pets/lake/frame"] = [Answer(200, {"key": "a.png"})]
    server.script["GET /datasets/pets/lake"] = [Answer(200, {"frames": 20_000})]
    server.script["GET /datasets/pets/lake/frames"] = [Answer(200, {"results": frames, "next": None})]
    done = lode(server, "lake", "push", "pets", str(tmp_path))
    assert done.returncode == 3, done.stderr
    assert "2 images of the folder were there already" in done.stdout
    assert "0 frames added; the lake of pets holds 20,000" in done.stdout
    assert "rejected c.png: part_closed its neighbours are in the lake" in done.stderr
    (tmp_path / "c.png").unlink()
    done = lode(server, "lake", "push", "pets", str(tmp_path))
    assert (done.returncode, "2 images of the folder were there already" in done.stdout) == (0, True)


def test_a_folder_without_images_says_what_lies_in_it(server: CannedServer, tmp_path: Path) -> None:
    (tmp_path / "part0.parquet").write_bytes(b"PAR1")
    done = lode(server, "lake", "push", "pets", str(tmp_path))
    assert done.returncode == 1
    assert "holds no images; 1 other file left behind, the first, part0.parquet" in done.stderr
