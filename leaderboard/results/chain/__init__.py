"""The append-only chain: every scoresheet, publication and decision is a link of it."""
