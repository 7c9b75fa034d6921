"""What outlives the server: a board with all that is behind it, checked without this project."""
