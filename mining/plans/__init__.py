"""The API of the planner, and the paces that this installation has measured. It has no database rows of its own."""
