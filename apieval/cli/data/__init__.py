"""`apieval data`: data files, one module a command."""
