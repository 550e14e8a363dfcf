"""`python -m bench.api_fuzzing`: Schemathesis with every check against a platform of its own, as owner and as nobody.

It is installed into `build/schemathesis`, apart from the project. `--examples` says how many requests are made up for
each operation, `--who owner` asks as one of the two alone; what stands behind `--` goes to Schemathesis as it is.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from bench.versioning.site import Site, own_site, run
from embedded.layout import project_root

VERSION = "4.32.5"
HERE = Path(__file__).parent
ROOT = project_root()
TOOL = ROOT / "build" / "schemathesis"
NESTED = (
    r"^(/datasets/\{reference\}|/datasets/\{reference\}/(edits|edits/preview|exports|filters|sample-tags|slices|slices/\{name\})"
    r"|/labeling/(queues|queues/\{reference\}/(answers|samples)|reviews/\{id\}/decide|tasks/\{id\}/answer)"
    r"|/mining/jobs|/pipelines|/pipelines/\{pipeline\})$"
)
"""Addresses that take labels or filters: the combinations that the phase `coverage` makes of them have no end."""
TRIES = "1000000"
"""Wrong tokens of one address: one of the checks sends them to each operation, and is to be answered 401."""
SLOWEST = "60"
"""Seconds: adding an encoder or a model waits half a minute for its check before it answers with the job."""
PHASES = (["--phases", "coverage", "--exclude-path-regex", NESTED], ["--phases", "examples,fuzzing,stateful"])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.api_fuzzing")
    parser.add_argument("--examples", type=int, default=20, help="requests for each operation (20)")
    parser.add_argument("--who", choices=["owner", "nobody"], help="ask as one of them alone")
    parser.add_argument("rest", nargs="*", help="further options of `st run`, behind `--`")
    options = parser.parse_args()
    _install()
    temporary = tempfile.TemporaryDirectory(prefix="motherlode-fuzzing-")
    with temporary as folder, own_site(Path(folder), MOTHERLODE_SIGN_IN_TRIES=TRIES) as site:
        demo = [sys.executable, "-m", "demo", "--small", "--rounds", "1", "--count", "20"]
        run(demo, environment={"MOTHERLODE_VAR": str(site.var), "MOTHERLODE_URL": site.url})
        asked = [options.who] if options.who else ["owner", "nobody"]
        codes = [_asked_as(who, site, options.examples, [*one, *options.rest]) for who in asked for one in PHASES]
    return max(codes)


def _install() -> None:
    if (TOOL / "bin" / "st").exists():
        return
    venv.create(TOOL, with_pip=True)
    run([str(TOOL / "bin" / "pip"), "install", "--quiet", f"schemathesis=={VERSION}"])


def _asked_as(who: str, site: Site, examples: int, rest: list[str]) -> int:
    """Schemathesis's exit code: 0 where every check passed."""
    print(f"-- as {who} --", flush=True)
    token = ["-H", f"Authorization: Bearer {site.token}"] if who == "owner" else []
    command = [
        str(TOOL / "bin" / "st"), "--config-file", str(HERE / "schemathesis.toml"), "run",
        str(ROOT / "frontend" / "openapi.json"), "--url", site.url, "--checks", "all",
        "--max-examples", str(examples), "--continue-on-failure", "--max-response-time", SLOWEST, "--request-timeout",
        SLOWEST, "--no-shrink", "--suppress-health-check", "all", *token, *rest,
    ]  # fmt: skip
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(HERE)}
    return subprocess.run(command, cwd=site.var.parent, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
