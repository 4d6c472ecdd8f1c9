"""A Hub on loopback: real HTTP, real commits, and the refusals of the real one.

`with Hub() as hub:` serves at `hub.url` (give it to clients as HF_ENDPOINT); `hub.store` is what it keeps,
`hub.log` the requests it got, `hub.fault` a function that makes requests go wrong.

    python -m tests.hub [--spaces FOLDER]      prints its address and serves until it is ended
"""

from tests.hub.server import Cut, Drop, Hub, Request, Status, storm

__all__ = ["Cut", "Drop", "Hub", "Request", "Status", "storm"]
