"""Just enough of HTTP/2 (RFC 9113) to begin gRPC calls whose messages never come whole."""

import socket
import struct

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _SETTINGS, _PING, _GOAWAY, _WINDOW_UPDATE, _RST_STREAM = 0, 1, 4, 6, 7, 8, 3
_END_HEADERS, _ACK = 4, 1
_INITIAL_WINDOW_SIZE = 4
_MAX_FRAME_BYTES = 16_384


def _text(value):
    """A string of HPACK (RFC 7541), not compressed."""
    data, size = value.encode(), len(value)
    if size < 127:
        return bytes([size]) + data
    size -= 127
    prefix = bytearray([127])
    while size >= 128:
        prefix.append(size % 128 + 128)
        size //= 128
    prefix.append(size)
    return bytes(prefix) + data


class Connection:
    """One connection with calls that have begun."""

    def __init__(self, host, port, token):
        self.sock = socket.create_connection((host, port), timeout=10)
        self._token = token
        self._received = b""
        self._next_stream = 1
        self._initial_window, self._window = 65_535, 65_535
        self._windows = {}
        self.ended = {}  # By stream: how it was ended by the other side.
        self.sock.sendall(_PREFACE + self._frame(_SETTINGS, 0, 0, b""))

    @staticmethod
    def _frame(kind, flags, stream, payload):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    def begin(self, method):
        """Begins a call; its stream."""
        stream, self._next_stream = self._next_stream, self._next_stream + 2
        headers = [(":method", "POST"), (":scheme", "http"), (":path", method), (":authority", "localhost"),
                   ("te", "trailers"), ("content-type", "application/grpc"),
                   ("authorization", f"Bearer {self._token}")]
        block = b"".join(b"\0" + _text(name) + _text(value) for name, value in headers)
        self.sock.sendall(self._frame(_HEADERS, _END_HEADERS, stream, block))
        self._windows[stream] = self._initial_window
        return stream

    def send(self, streams, size_bytes, announced_bytes):
        """Of messages of announced_bytes sends the first size_bytes, on each stream; what went out of all, in bytes."""
        left = {stream: size_bytes for stream in streams}
        first = {stream: b"\0" + struct.pack(">I", announced_bytes) for stream in streams}
        sent = 0
        while left:
            progress = False
            for stream in list(left):
                if stream in self.ended or left[stream] <= 0:
                    del left[stream]
                    continue
                room = min(left[stream], _MAX_FRAME_BYTES, self._window, self._windows[stream])
                if room < 16:
                    continue
                begin = first.pop(stream, b"")
                self.sock.sendall(self._frame(_DATA, 0, stream, begin + b"x" * (room - len(begin))))
                self._window -= room
                self._windows[stream] -= room
                left[stream] -= room
                sent += room
                progress = True
            if not self._read(wait=not progress) and not progress:
                break
        return sent

    def _read(self, wait):
        """Takes in what has come. Whether anything has."""
        self.sock.settimeout(2 if wait else 0)
        try:
            data = self.sock.recv(1 << 20)
        except (BlockingIOError, socket.timeout):
            return False
        finally:
            self.sock.settimeout(10)
        if not data:
            raise ConnectionResetError("the daemon has ended the connection")
        self._received += data
        while len(self._received) >= 9:
            size = int.from_bytes(self._received[:3], "big")
            if len(self._received) < 9 + size:
                break
            kind, flags = self._received[3], self._received[4]
            stream = int.from_bytes(self._received[5:9], "big")
            payload, self._received = self._received[9:9 + size], self._received[9 + size:]
            self._on_frame(kind, flags, stream, payload)
        return True

    def _on_frame(self, kind, flags, stream, payload):
        if kind == _SETTINGS and not flags & _ACK:
            for name, value in struct.iter_unpack(">HI", payload):
                if name == _INITIAL_WINDOW_SIZE:
                    for known in self._windows:
                        self._windows[known] += value - self._initial_window
                    self._initial_window = value
            self.sock.sendall(self._frame(_SETTINGS, _ACK, 0, b""))
        elif kind == _PING and not flags & _ACK:
            self.sock.sendall(self._frame(_PING, _ACK, 0, payload))
        elif kind == _WINDOW_UPDATE:
            more = int.from_bytes(payload, "big")
            if stream == 0:
                self._window += more
            elif stream in self._windows:
                self._windows[stream] += more
        elif kind == _GOAWAY:
            raise ConnectionResetError(f"GOAWAY: {payload[8:].decode(errors='replace')}")
        elif kind == _RST_STREAM or (kind == _HEADERS and flags & 1):
            self.ended[stream] = payload

    def close(self):
        self.sock.close()
