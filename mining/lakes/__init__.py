"""Lakes of datasets: hundreds of millions of frames, stored in manifests instead of rows until they are picked."""
