"""Users, their tokens, and how a request is authenticated."""
