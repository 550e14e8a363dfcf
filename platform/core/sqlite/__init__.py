"""Django's SQLite backend with a shorter wait for writers; set a database's ENGINE to this package."""
