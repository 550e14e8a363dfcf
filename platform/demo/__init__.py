"""The loop closed on real digits: mined against random labels, through the REST API alone."""
