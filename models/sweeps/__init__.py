"""Sweeps: searches over training settings and architectures, each trial a run."""
