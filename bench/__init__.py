"""Speed and size, measured on this machine: `make bench`."""
