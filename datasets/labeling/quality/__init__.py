"""The quality of labels: agreement, consensus, which tasks go to review, and how people work."""
