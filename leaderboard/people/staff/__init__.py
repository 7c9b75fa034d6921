"""What staff may do beside judging and writing: the log of it, and what is done to entries,
releases and people. It stands here because what a step does to boards is said before it is done."""
