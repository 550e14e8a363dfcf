"""Django's SQLite, with a quicker wait for the one who writes; a database's ENGINE is this package."""
