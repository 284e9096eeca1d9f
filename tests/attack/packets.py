"""A raw client of the second unix socket, by which clients on the daemon's host pass gRPC by
(common/memory/segment_messages.h)."""

import array
import socket
import struct

REQUEST = struct.Struct("<IIQQQQII16s")
REPLY = struct.Struct("<IIQ240s")
VERSION = 3
ATTACH, MAP, UPLOAD, DOWNLOAD, LEAVE, CHANNEL, LEND, UPLOAD_LENT, SHARE = range(1, 10)
CLOSED = -1


def request(kind, target=0, array_offset=0, segment_offset=0, size=0, last=0, token=b"", version=VERSION):
    return REQUEST.pack(kind, version, target, array_offset, segment_offset, size, last, 0, token)


def send_descriptors(sock, data, batches):
    """A packet with control messages of so many descriptors. False: the system has not taken it."""
    control = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", batch)) for batch in batches]
    try:
        sock.sendmsg([data], control)
        return True
    except OSError:
        return False


class Segments:
    """A connection of its own."""

    def __init__(self, socket_path):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.settimeout(20)
        self.sock.connect(socket_path + ".segments")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def receive(self):
        """Code, message, the segment's size and descriptors of the next answer; CLOSED when there is none."""
        try:
            data, descriptors, _, _ = socket.recv_fds(self.sock, REPLY.size, 4)
        except OSError:
            return CLOSED, "", 0, []
        if len(data) < REPLY.size:
            return CLOSED, "", 0, descriptors
        code, size, segment_size, message = REPLY.unpack(data)
        return code, message[:size].decode(errors="replace"), segment_size, descriptors

    def ask(self, kind, passed=(), **fields):
        if not send_descriptors(self.sock, request(kind, **fields), [list(passed)] if passed else []):
            return CLOSED, "", 0, []
        return self.receive()

    def attach(self, token):
        return self.ask(ATTACH, token=token)[0]


def channel_of(segments):
    """The socket of a session's channel, and the descriptor of its mailboxes."""
    code, message, _, descriptors = segments.ask(CHANNEL)
    if code != 0 or not descriptors:
        raise RuntimeError(f"no channel: {code} {message}")
    channel = socket.socket(fileno=descriptors[0])
    channel.settimeout(20)
    _, boxes, _, _ = socket.recv_fds(channel, 64, 1)
    return channel, boxes[0] if boxes else -1


def send_message(channel, data):
    """A message to a channel, in packets."""
    part_size = (64 << 10) - 1
    parts = [data[begin:begin + part_size] for begin in range(0, len(data), part_size)] or [b""]
    for index, part in enumerate(parts):
        channel.send(bytes([index + 1 < len(parts)]) + part)
