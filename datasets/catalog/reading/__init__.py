"""What is asked of a version: pages of samples, counts, statistics, the words of its filters."""
