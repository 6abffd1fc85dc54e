"""The parsers, each a named and versioned function from an answer's text to a prediction."""
