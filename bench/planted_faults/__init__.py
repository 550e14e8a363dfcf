"""Do the tests notice a fault? `python -m bench.planted_faults` plants twenty, one at a time, and runs the short run's
tests of that part."""
