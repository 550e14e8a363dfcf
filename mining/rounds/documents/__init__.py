"""Rows of the loop as the API shows them."""
