"""The configuration: its sections, its file and the models that are known."""
