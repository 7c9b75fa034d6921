from benchmarks.protocols.files import plain_ids as named_ids
from benchmarks.protocols.files import read_plain as read
from tests.tiny_protocol.predictions import baselines

__all__ = ["baselines", "named_ids", "read"]
