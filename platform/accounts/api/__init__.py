"""The routes of sessions, people and their tokens."""
