"""Flags, reviews, and gold: tasks whose answer is known."""
