"""`/labeling`: queues, and the tasks that annotators lease from them."""
