"""Work on existing samples: decide on near-duplicates, edit, tag, save slices."""
