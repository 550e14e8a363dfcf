"""`/labeling`: queues, and their tasks under leases."""
