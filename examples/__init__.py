"""Benchmarks to copy from; docs/adding_a_benchmark.md walks through them. No site shows them."""
