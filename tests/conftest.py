"""What all tests share: on which examples the laws are tried.

The same ones each time, so that `make test` on a room's machine, a day ahead, says what it will say in the room. New ones are drawn by

    make test ARGS="-m hypothesis --hypothesis-profile=fresh"      # a hundred a law, others each time
    make test ARGS="-m hypothesis --hypothesis-profile=deep"       # a thousand a law
"""

from hypothesis import settings

settings.register_profile("fixed", derandomize=True)
settings.register_profile("fresh", derandomize=False)
settings.register_profile("deep", derandomize=False, max_examples=1000)
settings.load_profile("fixed")
