"""Real data sets for the demo, the benchmarks and the tests."""
