"""Speaks HTCondor's network protocol: sends ads and commands, and holds connections open.

``condor_advertise -fake-private-ad`` gives every slot exactly one claim id; ``send_slots`` is for
slots with several claim ids, or none.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Iterable, Mapping
from typing import Final

HOST: Final = "127.0.0.1"
_UPDATE_STARTD_AD: Final = 0
_RESCHEDULE: Final = 421
#: Bytes of a packet; a message is cut into packets, the last one marked.
_PACKET: Final = 4000
_TIMEOUT: Final = 20.0


class Listener:
    """Accepts connections at the address of the slots and never answers.

    The schedd's claim requests stay pending for the length of the cycle.
    """

    def __init__(self, port: int) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind((HOST, port))
        self._socket.listen(1024)
        self._held: list[socket.socket] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._held.append(connection)

    def drop(self) -> None:
        """Close the connections, and go on listening."""
        held, self._held = self._held, []
        for connection in held:
            with contextlib.suppress(OSError):
                connection.close()

    def close(self) -> None:
        """Listen no longer."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the accept()
        self._socket.close()
        self._thread.join(2)
        self.drop()


def port_is_free(port: int) -> bool:
    """Whether a daemon can listen there.

    No trial connection: with a wide range of ephemeral ports that may connect to itself.
    """
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((HOST, port))
        except OSError:
            return False
    return True


def send_slots(
    port: int, slots: Iterable[tuple[Mapping[str, str], Mapping[str, str] | None]]
) -> None:
    """Send updates of slots to the collector: the public ad, and the private one, if any."""
    with socket.create_connection((HOST, port), _TIMEOUT) as connection:
        for public, private in slots:
            message = _number(_UPDATE_STARTD_AD) + _ad(public) + (_ad(private) if private else b"")
            while len(message) > _PACKET:
                connection.sendall(b"\0" + struct.pack(">I", _PACKET) + message[:_PACKET])
                message = message[_PACKET:]
            connection.sendall(b"\1" + struct.pack(">I", len(message)) + message)
        time.sleep(0.05)


def reschedule(port: int) -> socket.socket:
    """Ask a negotiator for a cycle; the connection is to be kept until the cycle is over."""
    connection = socket.create_connection((HOST, port), _TIMEOUT)
    message = _number(_RESCHEDULE)
    connection.sendall(b"\1" + struct.pack(">I", len(message)) + message)
    return connection


def _number(value: int) -> bytes:
    return struct.pack(">q", value)


def _ad(ad: Mapping[str, str]) -> bytes:
    """An ad as the tools send it, without encryption."""
    body = _number(len(ad))
    for name, text in ad.items():
        body += f"{name} = {text}".encode() + b"\0"
    return body + ad.get("MyType", "").strip('"').encode() + b"\0\0"
