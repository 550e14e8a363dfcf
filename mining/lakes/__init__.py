"""Lakes of datasets: frames by the hundred million, in manifests instead of rows, until somebody picks them."""
