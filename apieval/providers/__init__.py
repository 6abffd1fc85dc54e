"""One attempt of one request, over whichever wire the model is behind."""
