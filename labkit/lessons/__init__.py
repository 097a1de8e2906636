"""The course engine: which lessons there are, their exercises and predictions, and what a learner's notebook asks of them."""
