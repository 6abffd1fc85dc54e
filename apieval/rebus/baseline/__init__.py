"""The embedded baseline: a dictionary solver for rebuses, and the little server it answers from."""
