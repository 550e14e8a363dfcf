"""What people do to samples that are there: decide on near-duplicates, tag, save slices."""
