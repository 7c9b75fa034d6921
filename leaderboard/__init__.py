VERSION = "0.2.0"
"""Of what is released next, as pyproject.toml has it (CONTRIBUTING.md, Releases)."""
