"""`python -m scoring CONFIG.json`; the config is a `scoring.ScoringConfig`. Without an argument it keeps running: it
reads paths of configs from stdin, and keeps the last models open."""

import os
import sys

from scoring.config import ScoringConfig
from scoring.program import Program
from worker_programs.events import run, stay

IDLE_SECONDS = 30.0
SWITCH_SECONDS = 0.0001
"""Longest time that the thread running the model waits for the interpreter, while others decode."""

if __name__ == "__main__":
    # Scores of one model come from several machines: no GPU may compute float32 in lower precision.
    os.environ.setdefault("NVIDIA_TF32_OVERRIDE", "0")
    sys.setswitchinterval(SWITCH_SECONDS)
    program = Program()
    if len(sys.argv) > 1:
        sys.exit(run(ScoringConfig, program))
    sys.exit(stay(ScoringConfig, program, idle_seconds=IDLE_SECONDS))
