"""Label schemas: what annotators are told of the classes."""
