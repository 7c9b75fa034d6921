"""What a site's work costs with 10, 100, 1,000 and 10,000 submissions (docs/growth.md)."""
