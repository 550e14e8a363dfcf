"""Second looks: flags, reviews, and tasks whose answer is known."""
