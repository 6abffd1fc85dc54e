"""A run on disk: what its files hold, and `RunFolder`, which reads and checks each of them once."""
