"""What `evaluate` joins into verbs: runs, checks, scores, verifications; each file one room of it."""
