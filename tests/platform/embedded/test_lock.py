"""A lock holds what each supported Python needs, with the hashes of the files that it can install."""

import zipfile
from pathlib import Path
from typing import Any

import pytest

from embedded.lock import Pin, locked, resolve

PYTHONS = (11, 12, 13)


def listed(*names: str, **more: str) -> list[dict[str, Any]]:
    return [{"filename": name, "hashes": {"sha256": name}, **more} for name in names]


def hashes(pin: Pin, *names: str) -> list[str]:
    lines = locked(pin, listed(*names), PYTHONS).splitlines()
    return [line.strip(" \\").removeprefix("--hash=sha256:") for line in lines[1:]]


def test_a_lock_has_the_files_of_every_python_on_every_platform_and_no_other() -> None:
    fitting = [
        "ore-1.0-cp311-cp311-macosx_11_0_arm64.whl",
        "ore-1.0-cp311-cp311-manylinux_2_28_x86_64.whl",
        "ore-1.0-cp313-cp313-win_amd64.whl",
        "ore-1.0-cp39-abi3-manylinux_2_28_x86_64.whl",
        "ore-1.0-py3-none-any.whl",
        "ore-1.0-py39-none-any.whl",
        "ore-1.0.tar.gz",
    ]
    others = [
        "ore-1.0-cp310-cp310-manylinux_2_28_x86_64.whl",
        "ore-1.0-cp313-cp313t-manylinux_2_28_x86_64.whl",
        "ore-1.0-cp314-abi3-manylinux_2_28_x86_64.whl",
        "ore-1.0-py2-none-any.whl",
        "ore-1.0-py314-none-any.whl",
        "ore-1.1-py3-none-any.whl",
        "ore_more-1.0-py3-none-any.whl",
        "ore-1.0.exe",
    ]
    assert hashes(Pin("ore", "1.0", PYTHONS), *others, *fitting) == sorted(fitting)


def test_a_package_that_only_some_need_has_a_marker_and_their_files() -> None:
    pin = Pin("ore", "1.0", (11,))
    files = listed("ore-1.0-cp311-cp311-linux_x86_64.whl", "ore-1.0-cp312-cp312-linux_x86_64.whl")
    assert locked(pin, files, PYTHONS).splitlines() == [
        'ore==1.0 ; python_version == "3.11" \\',
        "    --hash=sha256:ore-1.0-cp311-cp311-linux_x86_64.whl",
    ]


def test_a_python_without_a_wheel_stops_it_and_so_does_one_that_the_package_refuses() -> None:
    pin = Pin("ore", "1.0", PYTHONS)
    two = [f"ore-1.0-cp3{minor}-cp3{minor}-linux_x86_64.whl" for minor in (11, 12)]
    with pytest.raises(ValueError, match=r"no wheel of ore 1\.0 that Python 3\.13 installs"):
        locked(pin, listed(*two, "ore-1.0.tar.gz"), PYTHONS)
    with pytest.raises(ValueError, match=r"no file of ore 1\.0 that Python 3\.12 installs"):
        locked(pin, listed("ore-1.0.tar.gz", **{"requires-python": ">=3.9,<3.12"}), PYTHONS)


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only place where pip finds packages."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    return tmp_path


def add_wheel(folder: Path, name: str, version: str, *requirements: str) -> None:
    info = f"{name}-{version}.dist-info"
    needs = "".join(f"Requires-Dist: {one}\n" for one in requirements)
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


def test_any_python_resolves_for_all_of_them(wheels: Path) -> None:
    first = ["rope; python_full_version < '3.11.3'", "lamp<3; python_version >= '3.13'", "oil; python_version < '3.11'"]
    add_wheel(wheels, "ore", "1.0", *first, "pick[steel]")
    add_wheel(wheels, "pick", "1.0", "anvil; extra == 'steel' and python_version != '3.12'", "oil; extra == 'wood'")
    add_wheel(wheels, "anvil", "1.0", "lamp")
    for name, version in (("rope", "1.0"), ("lamp", "2.0"), ("lamp", "3.0"), ("triton", "1.0"), ("seam", "1.0")):
        add_wheel(wheels, name, version)
    wanted = wheels / "wanted.in"
    wanted.write_text("# what is wanted\nore  # first\nseam; python_version < '3.13'\ntriton\n")
    assert resolve(wanted, PYTHONS) == [
        Pin("anvil", "1.0", (11, 13)),
        Pin("lamp", "2.0", (11, 13)),
        Pin("ore", "1.0", PYTHONS),
        Pin("pick", "1.0", PYTHONS),
        Pin("rope", "1.0", (11,)),
        Pin("seam", "1.0", (11, 12)),
    ]
