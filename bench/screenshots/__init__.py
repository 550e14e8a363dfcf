"""Pictures of the pages, light and dark, wide and narrow, by a real Chromium: `make screenshots`."""
