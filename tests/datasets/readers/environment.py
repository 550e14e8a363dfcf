"""An environment of their own for other projects' readers: they ask for other versions than the platform's."""

import hashlib
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
BUILD = HERE.parents[2] / "build"


def readers_python() -> Path:
    """The Python that has them; made once for each state of requirements.txt, below build/ (about a gigabyte)."""
    wanted = HERE / "requirements.txt"
    folder = BUILD / f"readers-{hashlib.sha256(wanted.read_bytes()).hexdigest()[:12]}"
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", "-r", str(wanted)], check=True)
        (folder / "complete").touch()
    return python
