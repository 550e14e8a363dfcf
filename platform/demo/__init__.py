"""A demo of the active-learning loop on images that a machine has or makes: mined against random labels, through the
REST API alone."""
