"""Users, their tokens, and how a request proves whose it is."""
