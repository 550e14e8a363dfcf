"""`make lock`: resolves requirements/*.in into complete locks, with pip alone.

The CUDA packages that some torch builds ask for are left out: they belong to the build that pip finds at set-up, which
installs torch with its own dependencies first.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from embedded.layout import project_root

OF_A_TORCH_BUILD = re.compile(r"^(nvidia-(?!ml-py)|cuda-|triton$)")


def main() -> int:
    folder = project_root() / "requirements"
    for name in ("runtime", "dev"):
        print(f"Resolving requirements/{name}.in ...", flush=True)
        pins = resolve(folder / f"{name}.in")
        (folder / f"{name}.lock").write_text("".join(f"{pin}\n" for pin in pins), encoding="utf-8")
        print(f"  {len(pins)} packages in requirements/{name}.lock")
    return 0


def resolve(wanted: Path) -> list[str]:
    """Sorted `name==version` of all that `wanted` needs; local build tags (`+cpu`) are dropped."""
    argv = [sys.executable, "-m", "pip", "install", "-qq", "--dry-run", "--ignore-installed", "--report", "-"]
    done = subprocess.run([*argv, "--requirement", str(wanted)], stdout=subprocess.PIPE, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)["install"]
    pins = (
        (one["metadata"]["name"].lower().replace("_", "-"), one["metadata"]["version"].split("+")[0]) for one in found
    )
    return [f"{name}=={version}" for name, version in sorted(pins) if not OF_A_TORCH_BUILD.match(name)]


if __name__ == "__main__":
    sys.exit(main())
