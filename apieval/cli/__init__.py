"""The door: one file a command; options in, one verb, print, exit code."""

from apieval.cli.app import app, main

__all__ = ["app", "main"]
