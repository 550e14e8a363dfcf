"""Queues, tasks and reviews as the API shows them."""
