"""Every fault that may befall the platform, many times over, on both profiles."""
