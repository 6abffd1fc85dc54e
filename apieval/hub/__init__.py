"""The challenge's data on the Hugging Face hub: fetched once, checked, pinned, and then at hand."""
