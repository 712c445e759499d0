"""Ports and sockets on this machine."""

import socket


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def is_open(port: int) -> bool:
    """Whether a server accepts connections at this port."""
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def listens(path: str) -> bool:
    """Whether a server accepts connections at this Unix socket."""
    with socket.socket(socket.AF_UNIX) as peer:
        try:
            peer.connect(path)
            return True
        except OSError:
            return False
