"""The figures of a report, drawn by matplotlib; one file a figure, or a family of them."""

from apieval.report.figures.drawing import Figure, draw, write

__all__ = ["Figure", "draw", "write"]
