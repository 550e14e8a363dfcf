"""What a commit is asked to do, and what it would do: change sets, plans, and what was seen of their images."""
