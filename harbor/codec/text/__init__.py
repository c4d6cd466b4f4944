"""JSON text and plain Python values: `reading` and `writing`."""
