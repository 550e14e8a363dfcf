"""Labels of a dataset: their objects as rows, and the formats that can hold them."""
