"""`python -m export CONFIG.json`; the config is an `export.ExportConfig`."""

import sys
from collections.abc import Mapping
from typing import Any

from export.config import ExportConfig
from worker_programs.events import Listener, run


def _body(config: ExportConfig, listener: Listener) -> Mapping[str, Any]:
    from export.program import body  # torch is imported only once the config is known to be valid

    return body(config, listener)


if __name__ == "__main__":
    sys.exit(run(ExportConfig, _body))
