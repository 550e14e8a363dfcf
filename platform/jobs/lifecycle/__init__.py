"""Renaming, archiving, restoring and deleting, the same for every kind of thing that has a name."""
