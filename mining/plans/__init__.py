"""The planner of the API, and the paces that this installation has measured. It keeps no rows of its own."""
