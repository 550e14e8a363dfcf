"""The split that a sample belongs to, and samples that are kept out of train."""
