"""What the processes of the chaos run use: the site's own settings, and the smallest benchmark
there is."""

from leaderboard.settings import *
from leaderboard.settings import PROTOCOLS as REAL_PROTOCOLS

PROTOCOLS = [*REAL_PROTOCOLS, "tests.tiny_protocol"]
