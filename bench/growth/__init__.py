"""What a site's work costs with 10 to 10,000 submissions (docs/developer/growth.md)."""
