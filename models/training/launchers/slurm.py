"""A training as a script for Slurm's `sbatch`: its first node leads, the others join it."""

import shlex

from training.launchers import PORT, LaunchSpec

_SCRIPT = """\
#!/bin/bash
# sbatch --export=ALL,MOTHERLODE_HOME=/shared/motherlode,MOTHERLODE_ENV=$HOME/motherlode.env {name}.sbatch
# MOTHERLODE_HOME is a checkout with its .venv on a file system that the nodes share, MOTHERLODE_ENV a file of mode 0600
# with the settings that workers have, as NAME=VALUE.
{options}
set -euo pipefail

: "${{MOTHERLODE_HOME:?where the checkout is}}" "${{MOTHERLODE_ENV:?the file with the settings}}"
MOTHERLODE_MEETS="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | sed -n 1p):{port}"
export MOTHERLODE_MEETS DJANGO_SETTINGS_MODULE=config.settings
export PYTHONPATH=$MOTHERLODE_HOME/platform:$MOTHERLODE_HOME/datasets:$MOTHERLODE_HOME/models:$MOTHERLODE_HOME/mining
{environment}
cd "$MOTHERLODE_HOME"

# What srun passes on to each node; the first one leads.
node() {{
  set -a
  # shellcheck source=/dev/null
  source "$MOTHERLODE_ENV"
  set +a
  MOTHERLODE_VAR=$(mktemp -d "${{SLURM_TMPDIR:-${{TMPDIR:-/tmp}}}}/motherlode-XXXXXX")
  export MOTHERLODE_VAR MOTHERLODE_CACHE_DIR=$MOTHERLODE_VAR/cache
  export MOTHERLODE_WORKER_CORES={cores} MOTHERLODE_WORKER_MEMORY={memory}
  local join=(--join) code=0
  if [ "$SLURM_NODEID" = 0 ]; then join=(); fi
  .venv/bin/{command} "${{join[@]}}" || code=$?
  rm -rf "$MOTHERLODE_VAR"
  return "$code"
}}
export -f node
srun --kill-on-bad-exit=0 bash -c node
"""


def script(spec: LaunchSpec) -> str:
    """Return the script for `sbatch`."""
    nodes = str(spec.most_nodes) if spec.least_nodes == spec.most_nodes else f"{spec.least_nodes}-{spec.most_nodes}"
    told = [
        f"job-name={spec.name}", f"nodes={nodes}", "ntasks-per-node=1", f"cpus-per-task={spec.cores}",
        f"mem={-(-spec.memory // (1 << 20))}M",
        f"time={spec.hours}:00:00", "requeue", "signal=TERM@60", "no-kill",
    ]  # fmt: skip
    told += [f"gpus-per-node={spec.gpus}"] if spec.gpus else []
    told += [f"partition={spec.queue}"] if spec.queue else []
    command = spec.command(rendezvous="MEETS", joins=False)
    words = " ".join('--rendezvous="$MOTHERLODE_MEETS"' if "MEETS" in word else shlex.quote(word) for word in command)
    return _SCRIPT.format(
        name=spec.name,
        options="\n".join(f"#SBATCH --{one}" for one in told),
        port=PORT,
        environment="\n".join(f"export {name}={shlex.quote(text)}" for name, text in spec.environment.items()),
        cores=spec.cores,
        memory=spec.memory,
        command=words,
    )
