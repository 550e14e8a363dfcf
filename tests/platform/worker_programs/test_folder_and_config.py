"""The folder that stands in for the store in notebooks, manifests, configs, and the edge of a program."""

import ast
import json
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock

import pytest
from pydantic import Field
from pydantic.dataclasses import dataclass
from tests.processes import is_running
from tests.workers import wait_until

from worker_programs.config import STRICT, ConfigError, json_schema, parse
from worker_programs.manifest import ManifestError, Sample, read_manifest, write_manifest
from worker_programs.readers import CorruptSampleError, Folder, Remembering


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Example:
    """A config."""

    count: int = 1
    """How many."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Longer(Example):
    """A config that derives from another, and holds one."""

    kind: str = Field(default="a", alias="class")
    """Which one."""
    inner: Example = Example()
    told: int = Field(default=1, description="Told otherwise.")
    """Not told."""


def test_a_folder_gives_back_what_it_keeps_and_keeps_equal_bytes_once(tmp_path):
    folder = Folder(tmp_path)
    ref = folder.put(b"one")
    assert folder.put(b"one") == ref
    assert list(folder.get_many([ref, folder.put(b"two")])) == [(ref, b"one"), (folder.put(b"two"), b"two")]


def test_a_member_of_a_pack_is_read_at_its_offset(tmp_path):
    folder = Folder(tmp_path)
    (tmp_path / "pack").write_bytes(b"xxxone")
    ref = folder.put(b"one")._replace(key="pack", offset=3)
    assert [data for _, data in folder.get_many([ref])] == [b"one"]


def test_what_was_read_is_remembered_as_far_as_there_is_room(tmp_path):
    folder = Folder(tmp_path)
    refs = [folder.put(data) for data in (b"one", b"three", b"four")]
    reader = Remembering(folder, limit=8)
    assert dict(reader.get_many(refs)) == dict(folder.get_many(refs))
    for ref in refs:
        (tmp_path / ref.key).unlink()
    assert dict(reader.get_many(refs[:2])) == {refs[0]: b"one", refs[1]: b"three"}
    faults = []
    assert dict(reader.get_many(refs, on_fault=lambda ref, _: faults.append(ref))) == dict(reader.get_many(refs[:2]))
    assert faults == [refs[2]]


@pytest.mark.parametrize("key", ["../outside", "/etc/hostname", "absent"])
def test_a_folder_reads_nothing_outside_of_itself_or_unverified(tmp_path, key):
    (tmp_path / "outside").write_bytes(b"one")
    folder = Folder(tmp_path / "blobs")
    ref = folder.put(b"one")
    with pytest.raises(CorruptSampleError, match=ref.md5):
        list(folder.get_many([ref._replace(key=key)]))
    (tmp_path / "blobs" / ref.key).write_bytes(b"two")
    with pytest.raises(CorruptSampleError, match="promised sha256"):
        list(folder.get_many([ref]))


def test_a_manifest_reads_back_and_a_faulty_line_is_named(tmp_path):
    folder = Folder(tmp_path)
    samples = [Sample.of("a", folder.put(b"a"), label={"class": "x"}), Sample.of("b", folder.put(b"b"))]
    path = write_manifest(tmp_path / "m.jsonl", samples)
    assert read_manifest(path) == samples
    for change, words in [({"md5": "A"}, "md5 and sha256"), ({"size": "1"}, "size must"), ({"more": 1}, "more"),
                          ({"offset": -1}, "negative"), ({"label": "x"}, "label must")]:  # fmt: skip
        line = json.loads(path.read_text().splitlines()[1]) | change
        path.write_text(path.read_text().splitlines()[0] + "\n" + json.dumps(line))
        with pytest.raises(ManifestError, match=rf"m\.jsonl, line 2: .*{words}"):
            read_manifest(path)
        write_manifest(path, samples)


def test_a_config_names_faulty_fields_and_describes_the_right_ones():
    assert parse(Example, {"count": 3}) == Example(count=3)
    with pytest.raises(ConfigError) as caught:
        parse(Example, {"count": "many", "sort": 1})
    assert set(caught.value.errors) == {"count", "sort"}
    assert json_schema(Example)["properties"]["count"]["description"] == "How many."


def test_descriptions_are_those_under_fields_also_of_what_a_config_derives_from():
    schema = json_schema(Longer)
    told = {name: field.get("description") for name, field in schema["properties"].items()}
    assert told == {"count": "How many.", "class": "Which one.", "inner": None, "told": "Told otherwise."}
    assert schema["$defs"]["Example"]["properties"]["count"]["description"] == "How many."


def test_a_config_without_a_source_has_no_descriptions():
    made = type("Made", (), {"__module__": __name__, "__annotations__": {"count": int}, "count": 1})
    schema = json_schema(dataclass(frozen=True, kw_only=True, config=STRICT)(made))
    assert schema["properties"]["count"] == {"default": 1, "title": "Count", "type": "integer"}


def test_threads_that_ask_for_schemas_read_their_sources_one_after_the_other(monkeypatch):
    # Two at once make ast.parse raise SystemError (CPython before 3.12); the page that lists architectures asks so.
    made = [
        dataclass(frozen=True, kw_only=True, config=STRICT)(type("One", (Example,), {"__module__": __name__}))
        for _ in range(4)
    ]
    parse_source, inside, together = ast.parse, Lock(), []

    def watched(*args, **kwargs):
        together.append(not inside.acquire(blocking=False))
        try:
            time.sleep(0.01)
            return parse_source(*args, **kwargs)
        finally:
            with suppress(RuntimeError):
                inside.release()

    monkeypatch.setattr(ast, "parse", watched)
    with ThreadPoolExecutor(4) as threads:
        schemas = list(threads.map(json_schema, made))
    assert {schema["properties"]["count"]["description"] for schema in schemas} == {"How many."}
    assert together
    assert not any(together)


PROGRAM = """
import sys, time
from pydantic.dataclasses import dataclass
from worker_programs.config import STRICT
from worker_programs.events import run
@dataclass(frozen=True, kw_only=True, config=STRICT)
class Config:
    what: str
def body(config, listener):
    print("noise")
    listener.log("started")
    if config.what == "wait":
        time.sleep(60)
    if config.what == "bug":
        1 / 0
    return {"answer": 42}
sys.exit(run(Config, body))
"""


def start(tmp_path, what: str, **options) -> subprocess.Popen[bytes]:
    (tmp_path / "config.json").write_text(json.dumps({"what": what}))
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "config.json")]
    environment = {"PYTHONPATH": ":".join(sys.path)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, **options)


def test_only_events_reach_stdout_and_the_last_is_the_result(tmp_path):
    out, err = start(tmp_path, "work").communicate(timeout=30)
    assert [json.loads(line) for line in out.splitlines()] == [
        {"event": "log", "message": "started"},
        {"event": "result", "answer": 42},
    ]
    assert b"noise" in err


def test_a_defect_is_an_error_event_and_its_traceback_is_in_the_log(tmp_path):
    process = start(tmp_path, "bug")
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert json.loads(out.splitlines()[-1])["code"] == "internal_error"
    assert b"ZeroDivisionError" in err


def test_sigterm_ends_a_program_even_where_its_parent_ignores_it(tmp_path):
    process = start(tmp_path, "wait", preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN))
    assert process.stdout is not None
    assert b"started" in process.stdout.readline()
    process.terminate()
    assert process.wait(timeout=10) == -signal.SIGTERM


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
def test_a_program_does_not_outlive_its_parent(tmp_path):
    (tmp_path / "config.json").write_text('{"what": "wait"}')
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, str(tmp_path / "program.py"), str(tmp_path / "config.json")]
    parent = (
        f"import subprocess, os\nchild = subprocess.Popen({command!r}, stdout=subprocess.PIPE)\n"
        "child.stdout.readline()\nprint(child.pid, flush=True)\nos.kill(os.getpid(), 9)"
    )
    environment = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", parent], capture_output=True, check=False, env=environment)
    child = int(done.stdout)
    wait_until(lambda: not is_running(child), seconds=10)
