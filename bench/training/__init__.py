"""How fast training and inference go beside the bare machinery, and how good the default configuration gets."""
