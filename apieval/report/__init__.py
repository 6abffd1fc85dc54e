"""Figures for people and for other tools; formats, computes nothing."""
