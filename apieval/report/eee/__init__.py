"""A run in the interchange format "Every Eval Ever", schema 0.3.0: one document, and its items."""
