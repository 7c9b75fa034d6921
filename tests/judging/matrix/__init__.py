"""Faults of docs/developer/fault_matrix.md that need processes, servers or an endpoint of their
own."""
