"""`python -m acquisition`: picks as the library makes them, faults by code, and after a kill nothing half done."""

import json
import signal
import subprocess
import sys
from typing import Any

import numpy as np
import orjson
import pytest

from acquisition import Pool, compose, composition
from acquisition.columns import PoolFolder, read_pool
from acquisition.pool import ROWS, PoolError


def pool_of(rows: int, *, labelled: int = 5) -> Pool:
    rng = np.random.default_rng(rows)
    return Pool(
        ids=np.arange(100, 100 + rows),
        probabilities=rng.dirichlet(np.ones(4), size=rows).astype(np.float32),
        embeddings=rng.normal(size=(rows, 8)).astype(np.float32),
        sources=rng.choice(["front", "rear camera"], size=rows),
        slices={"night": rng.random(rows) < 0.3},
        labelled=rng.normal(size=(labelled, 8)).astype(np.float32),
        labelled_ids=np.arange(labelled),
        classes=["a", "b", "c", "d"],
    )


def write(path, pool: Pool):
    folder = PoolFolder(path, pool.classes)
    for name in (*ROWS, "labelled", "labelled_ids"):
        if (values := getattr(pool, name)) is not None:
            half = len(values) // 2
            folder.write_blocks(name, len(values), [values[:half], values[half:]])
    folder.write_slices(pool.slices)
    return folder.close()


def start(folder, **changes):
    config = {
        "pool": str(folder / "pool"),
        "out": str(folder / "picks.jsonl"),
        "strategy": "margin",
        "count": 9,
    } | changes
    (folder / "config.json").write_text(json.dumps(config))
    return subprocess.Popen([sys.executable, "-m", "acquisition", str(folder / "config.json")], stdout=subprocess.PIPE)


def events(process) -> list[dict[str, Any]]:
    out, _ = process.communicate(timeout=120)
    return [orjson.loads(line) for line in out.splitlines()]


def test_a_folder_of_columns_is_the_pool_that_was_written(tmp_path):
    pool = pool_of(50)
    found = read_pool(write(tmp_path / "pool", pool))
    for name in (*ROWS, "labelled", "labelled_ids"):
        np.testing.assert_array_equal(getattr(found, name), getattr(pool, name))
    np.testing.assert_array_equal(found.slices["night"], pool.slices["night"])
    assert found.classes == pool.classes


def test_a_folder_without_a_pool_is_refused(tmp_path):
    with pytest.raises(PoolError, match="is not a folder of a pool"):
        read_pool(tmp_path)
    with pytest.raises(PoolError, match="expected 3 rows, got 2"):
        PoolFolder(tmp_path, []).write_blocks("ids", 3, [np.arange(2)])
    with pytest.raises(PoolError, match="colour: a pool has no such column"):
        PoolFolder(tmp_path, []).write("colour", np.arange(2))


def test_the_program_writes_the_picks_of_the_library(tmp_path):
    pool = pool_of(80)
    write(tmp_path / "pool", pool)
    document = {"quotas": [{"slice": "night", "min": 4}, {"source": "rear camera", "max": 3}], "source": "camera"}
    told = events(start(tmp_path, seed=4, control=0.2, compose=document))
    batch = compose(pool, "margin", count=9, seed=4, control=0.2, composition=composition(document))
    lines = [orjson.loads(line) for line in (tmp_path / "picks.jsonl").read_bytes().splitlines()]
    assert [line["id"] for line in lines] == [pick.id for pick in batch]
    assert [line["explanation"] for line in lines] == [pick.explanation for pick in batch]
    assert all(len(line["neighbours"]) == 3 for line in lines)
    for line in lines:
        row = line["id"] - 100
        assert pool.embeddings is not None
        assert pool.labelled is not None
        away = np.linalg.norm(pool.labelled - pool.embeddings[row], axis=1)
        assert [near for near, _ in line["neighbours"]] == np.argsort(away)[:3].tolist()
    assert told[-1]["event"] == "result"
    assert (told[-1]["picked"], told[-1]["candidates"], told[-1]["unmet"]) == (9, 80, [])
    assert [event["done"] for event in told if event["event"] == "progress"][-1] == 9


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({"strategy": "magic"}, "invalid_config", "unknown strategy 'magic'"),
        ({"compose": {"budget": 0}}, "invalid_config", "compose.budget"),
        ({"compose": {"gap": {"seconds": 1, "group": "d", "time": "t"}}}, "pool_invalid", "groups, times"),
        ({"count": 0}, "invalid_config", "count"),
        ({"pool": "nowhere"}, "pool_invalid", "is not a folder of a pool"),
    ],
)
def test_a_fault_is_told_by_its_code(tmp_path, changes, code, words):
    write(tmp_path / "pool", pool_of(20))
    told = events(start(tmp_path, **changes))[-1]
    assert (told["event"], told["code"]) == ("error", code)
    assert words in told["message"]


def test_a_killed_program_leaves_no_picks_and_the_next_one_makes_them(tmp_path):
    pool = pool_of(4000)
    write(tmp_path / "pool", pool)
    slow = {"strategy": "k_center", "count": 3000, "compose": {"distance": {"cosine": 1e-6}}}
    process = start(tmp_path, **slow)
    assert process.stdout is not None
    assert orjson.loads(process.stdout.readline())["event"] == "progress"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not (tmp_path / "picks.jsonl").exists()
    events(start(tmp_path, **(slow | {"count": 12})))
    assert len((tmp_path / "picks.jsonl").read_bytes().splitlines()) == 12
