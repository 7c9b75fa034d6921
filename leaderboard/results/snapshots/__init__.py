"""What boards showed when: kept once per change, and never changed."""
