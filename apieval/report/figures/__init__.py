"""The figures of a report, drawn by matplotlib; one file a figure."""
