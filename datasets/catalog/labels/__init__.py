"""Labels as a dataset keeps them: their objects as rows, and the formats that hold them."""
