"""What the public pages of a board of a thousand entries take."""
