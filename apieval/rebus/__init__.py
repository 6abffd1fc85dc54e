"""The task itself: data, prompts, parsers, metrics, rules, sample and baseline. Pure."""
