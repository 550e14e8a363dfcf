"""`lode gc` and `lode dataset erase`."""

from tests.platform.motherlode.canned import Answer, CannedServer
from tests.platform.motherlode.test_lode import lode

DONE = {
    "id": 7, "kind": "collect", "title": "Collect", "state": "succeeded", "error": None, "missing": None,
    "waiting": None,
    "points": [], "log": [],
    "next": 0, "progress": {"done": 1, "total": 1, "rate": None, "eta": None, "unit": "rows"},
}  # fmt: skip


def test_a_dry_run_lists_what_would_go(server: CannedServer) -> None:
    found = [{"key": "packs/ab/cd", "size": 1500, "what": "rewrite"}]
    result = {"blobs": 3, "objects": 1, "bytes": 2_500_000, "rewritten": 1, "kept": 9, "dry_run": True, "list": found}
    server.script["POST /gc"] = [Answer(202, {"job": {"id": 7}})]
    server.script["GET /jobs/7"] = [Answer(200, DONE | {"result": result})]
    done = lode(server, "gc", "--dry-run", "--grace", "2")
    assert done.returncode == 0, done.stderr
    assert server.asked[0].document == {"dry_run": True, "grace": 2.0}
    assert "packs/ab/cd" in done.stdout
    assert "3 blobs, 1 object, 2.5 MB would go; 1 pack would be rewritten, 9 blobs kept" in done.stdout


def test_erasing_needs_a_reason_and_says_what_contained_the_samples(server: CannedServer) -> None:
    assert lode(server, "dataset", "erase", "cats", "a.png", "--yes").returncode == 2
    erasure = {
        "id": 4, "dataset": "cats", "versions": [{"dataset": "cats", "first": 1, "last": 3}], "shared_with": ["dogs"],
        "models": [{"model": "m", "version": 2, "dataset": "cats", "dataset_version": 3}],
        "mining_jobs": [{"id": 5, "picked": True}],
        "runs": [{"id": 8, "model": "m", "state": "running", "dataset": "cats", "dataset_version": 3}],
        "score_files": [{"id": 6, "job": 3}],
    }  # fmt: skip
    result = {"samples": 1, "lake_frames": 9, "blobs": 1, "bytes": 500, "blobs_kept": 1, "erasures": [erasure]}
    server.script["POST /datasets/cats/erasures"] = [Answer(202, {"job": {"id": 7}})]
    server.script["GET /jobs/7"] = [Answer(200, DONE | {"result": result})]
    done = lode(server, "dataset", "erase", "cats", "a.png", "--reason", "asked to", "--yes")
    assert done.returncode == 0, done.stderr
    sent = {"keys": ["a.png"], "reason": "asked to", "confirm": "cats", "everywhere": False}
    assert server.asked[-2].document == sent
    for words in (
        "1 sample erased, 500 bytes",
        "cats v1 to v3",
        "model m v2",
        "run 8 of m (running), which may still make a version",
        "mining job 5, which picked it",
        "file 6 of scores and embeddings, of job 3",
        "9 frames with the same keys or bytes left the lakes",
        "dogs",
    ):
        assert words in done.stdout
