"""A lake of 10^9 frames scored by a thousand workers, on paper: real rows and messages, no frames and no GPUs."""
