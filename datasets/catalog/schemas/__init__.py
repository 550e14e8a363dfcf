"""Label schemas: keys, looks, guidelines and examples of the classes, for annotators."""
