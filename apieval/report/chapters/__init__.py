"""The chapters of a report: each makes sections and tables of what a document holds."""
