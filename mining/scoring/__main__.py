"""`python -m scoring CONFIG.json`; the config is a `scoring.ScoringConfig`. Without an argument it stays: paths of
configs come on stdin, and the models of the last ones are kept open."""

import os
import sys

from scoring.config import ScoringConfig
from scoring.program import Program
from worker_programs.events import run, stay

IDLE_SECONDS = 30.0
SWITCH_SECONDS = 0.0005
"""For so long the thread that ran the model waits at most for the interpreter, while others decode."""

if __name__ == "__main__":
    # Scores of one model come from several machines: on no GPU may float32 mean something shorter.
    os.environ.setdefault("NVIDIA_TF32_OVERRIDE", "0")
    sys.setswitchinterval(SWITCH_SECONDS)
    program = Program()
    if len(sys.argv) > 1:
        sys.exit(run(ScoringConfig, program))
    sys.exit(stay(ScoringConfig, program, idle_seconds=IDLE_SECONDS))
