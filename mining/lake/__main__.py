"""`python -m lake CONFIG.json`; the config is a `lake.config.ManifestConfig`. Progress counts rows. The result event is
`lake.checking.Checked`."""

import sys
from collections.abc import Mapping
from typing import Any

from lake.checking import check, checked_document
from lake.config import ManifestConfig
from worker_programs.events import Listener, run


def body(config: ManifestConfig, listener: Listener) -> Mapping[str, Any]:
    """Check the manifest and write its groups."""

    def watch(done: int, total: int) -> None:
        listener.progress(done, total, unit="frames")

    return checked_document(check(config.manifest, config.out, sample=config.sample, watch=watch))


if __name__ == "__main__":
    sys.exit(run(ManifestConfig, body))
