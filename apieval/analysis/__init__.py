"""What the answers show: figures and how sure they are; right of the store, pure."""
