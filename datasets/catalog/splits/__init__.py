"""Which split a sample belongs to, and what may not be trained on."""
