"""The page: one HTML file that needs nothing else, and opens from disk."""
