"""Python reads this first in each process of the journeys' platform: programs that they start are forked.

The platform gives its processes a path of modules of its own, so that this folder has to be handed on.
`tests/journeys/test_embedded_profile.py` runs a platform that knows nothing of it.
"""

import os
import runpy
import subprocess
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FORKED: dict[str, Any] = runpy.run_path(str(HERE.parents[1] / "forked.py"), run_name="forked")
Forked: Any = FORKED["Forked"]
usual = Forked.__init__


def handing(self: Any, *given: Any, **more: Any) -> None:
    env = more.get("env")
    if env and FORKED["PLACE"] in env:
        path = [str(HERE), *env.get("PYTHONPATH", "").split(os.pathsep)]
        more["env"] = {**env, "PYTHONPATH": os.pathsep.join(dict.fromkeys(path))}
    usual(self, *given, **more)


Forked.__init__ = handing
subprocess.Popen = Forked  # type: ignore[misc]  # a subclass
