"""Mining jobs: score a pool, pick the most informative samples, and queue them for annotators."""
