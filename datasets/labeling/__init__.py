"""Labelling: queues, tasks under leases, answers, and their commit."""
