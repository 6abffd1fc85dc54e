"""Speed and memory of `apieval run`, measured side by side with bare HTTP loops."""
