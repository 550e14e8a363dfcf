"""Change sets (what a commit is asked to do), plans (what it would do), and comparisons of their images."""
