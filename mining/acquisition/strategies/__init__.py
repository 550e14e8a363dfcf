"""One file per strategy; importing `acquisition.registry` finds them."""
