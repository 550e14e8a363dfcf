"""What labels are: their form by task, how they are refused, and their objects as rows."""
