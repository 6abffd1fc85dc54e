"""What costs money: asking, retrying, caching and storing; left of the store, async."""
