"""Mining jobs: score a pool, pick what teaches most, put it before annotators."""
