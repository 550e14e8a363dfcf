"""The local repository is only a cache: lost, damaged or behind, it comes back with the same commits."""

import io
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from dulwich.repo import Repo

from versioning import Mirror, Out, Release, Remote, RepositoryDamaged, commit_of, repository_files
from versioning.mirror import Wanted
from versioning.serving import RequestMalformed, advertise, upload_pack


def releases(count: int, *, author: str = "alice") -> list[tuple[Release, str]]:
    made: list[tuple[Release, str]] = []
    for number in range(1, count + 1):
        out = Out("data", f"{number:032x}", 10, 1, meta={"version": number})
        files = repository_files(out, [Remote("here", {"url": "http://127.0.0.1/dvc"})])
        release = Release(number, files, f"Version {number}", author, 1_700_000_000 + number)
        made.append((release, commit_of(release, parent=made[-1][1] if made else None).sha))
    return made


def wanted(history: list[tuple[Release, str]], refs: dict[str, int] | None = None) -> Wanted:
    numbers = {sha: release.number for release, sha in history}
    return Wanted(
        number=len(history),
        commit=history[-1][1] if history else None,
        since=lambda after: history[after:],
        number_of=numbers.get,
        refs={name: history[number - 1][1] for name, number in (refs or {}).items()},
    )


def log(mirror: Mirror, want: Wanted) -> list[str]:
    with mirror.opened(want) as repo:
        return [entry.commit.id.decode() for entry in repo.get_walker()][::-1] if want.commit else []


@pytest.mark.parametrize("count", [0, 1, 3, 100])
def test_it_holds_the_commits_of_the_releases(tmp_path: Path, count: int) -> None:
    history = releases(count)
    assert log(Mirror(tmp_path), wanted(history)) == [sha for _, sha in history]


def test_it_grows_by_what_is_new_and_follows_names(tmp_path: Path) -> None:
    history, mirror = releases(5), Mirror(tmp_path)
    assert len(log(mirror, wanted(history[:2], {"refs/heads/stable": 1}))) == 2
    place = (tmp_path / "repository").readlink()
    assert len(log(mirror, wanted(history, {"refs/heads/stable": 4, "refs/tags/first": 1}))) == 5
    with mirror.opened(wanted(history, {"refs/tags/first": 1})) as repo:
        refs = {name.decode(): sha.decode() for name, sha in repo.refs.as_dict().items() if name != b"HEAD"}
    tags = {f"refs/tags/v{release.number}": sha for release, sha in history}
    assert refs == tags | {"refs/heads/main": history[4][1], "refs/tags/first": history[0][1]}
    assert (tmp_path / "repository").readlink() == place, "nothing was made anew"


def test_another_history_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    mirror = Mirror(tmp_path)
    log(mirror, wanted(releases(3)))
    other = releases(3, author="bob")
    assert log(mirror, wanted(other)) == [sha for _, sha in other]
    assert len(list(tmp_path.glob("made-*"))) == 1


def remove_head(folder: Path) -> None:
    (folder / "HEAD").unlink()


def garble(pattern: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        for path in folder.glob(pattern):
            if path.is_file():
                path.chmod(0o600)
                content = bytearray(path.read_bytes())
                content[len(content) // 2] ^= 0xFF
                path.write_bytes(bytes(content))

    return damage


@pytest.mark.parametrize("count", [4, 300], ids=["loose", "packed"])
@pytest.mark.parametrize(
    "damage",
    [remove_head, garble("objects/*/*"), garble("packed-refs"), garble("refs/heads/main")],
    ids=["no head", "objects", "packed refs", "main"],
)
def test_a_damaged_one_is_made_anew_with_the_same_commits(
    tmp_path: Path, damage: Callable[[Path], None], count: int
) -> None:
    history, mirror = releases(count), Mirror(tmp_path)
    log(mirror, wanted(history))
    damage((tmp_path / "repository").resolve())
    request = clone_request(history[-1][1])

    def fetch() -> bytes:
        answer = io.BytesIO()
        with mirror.opened(wanted(history)) as repo:
            upload_pack(repo, io.BytesIO(request), answer)
        return answer.getvalue()

    try:
        fetch()
    except RepositoryDamaged:
        mirror.drop()
        fetch()
    assert log(mirror, wanted(history)) == [sha for _, sha in history]
    checked = subprocess.run(["git", "fsck"], cwd=tmp_path / "repository", capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


def test_a_row_that_says_another_commit_is_noticed(tmp_path: Path) -> None:
    (release, _), *_ = releases(1)
    with pytest.raises(RepositoryDamaged, match="its row says"), Mirror(tmp_path).opened(wanted([(release, "0" * 40)])):
        pass


def test_many_at_once_make_one_repository(tmp_path: Path) -> None:
    history = releases(50)
    seen: list[list[str]] = []
    threads = [threading.Thread(target=lambda: seen.append(log(Mirror(tmp_path), wanted(history)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [[sha for _, sha in history]] * 8
    assert len(list(tmp_path.glob("made-*"))) == 1


def test_an_empty_repository_is_advertised(tmp_path: Path) -> None:
    answer = io.BytesIO()
    with Mirror(tmp_path).opened(wanted([])) as repo:
        advertise(repo, answer)
    assert answer.getvalue().startswith(b"001e# service=git-upload-pack\n0000")


@pytest.mark.parametrize("request_body", [b"", b"nonsense", b"0032want " + b"0" * 40 + b"\n", b"ffff"])
def test_nonsense_is_the_client_s_fault(tmp_path: Path, request_body: bytes) -> None:
    def serve(repo: Repo) -> bytes:
        answer = io.BytesIO()
        upload_pack(repo, io.BytesIO(request_body), answer)
        return answer.getvalue()

    with Mirror(tmp_path).opened(wanted(releases(1))) as repo, pytest.raises(RequestMalformed):
        serve(repo)


def clone_request(sha: str) -> bytes:
    def line(text: str) -> bytes:
        return f"{len(text) + 5:04x}{text}\n".encode()

    return line(f"want {sha} side-band-64k thin-pack ofs-delta") + b"0000" + line("done")


@pytest.mark.parametrize("turn", [1, -1])
def test_the_order_in_which_a_database_gives_mappings_back_changes_nothing(turn: int) -> None:
    meta = dict([("version", 1), ("dataset", "pets")][::turn])
    place = dict([("url", "s3://bucket"), ("endpointurl", "http://127.0.0.1")][::turn])
    artifacts: dict[str, dict[str, str]] = dict([("b", {"path": "b.onnx"}), ("a", {"path": "a.onnx"})][::turn])
    files = repository_files(Out("data", "0" * 32, 10, 1, meta=meta), [Remote("s3", place)], artifacts)
    assert b'meta: {"dataset": "pets", "version": 1}' in files["data.dvc"]
    assert files[".dvc/config"].index(b"endpointurl") < files[".dvc/config"].index(b"    url")
    assert files["dvc.yaml"].index(b"a.onnx") < files["dvc.yaml"].index(b"b.onnx")
