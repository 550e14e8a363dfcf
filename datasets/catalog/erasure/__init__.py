"""Taking samples out of everything, and telling what contained them."""
