"""What the daemon and a client share beside messages: descriptors, memory, mailboxes (CWE-362, CWE-403, CWE-772)."""

import fcntl
import mmap
import os
import random
import socket
import tempfile
import time

import packets
import programs
from attacks import Answers, Outcome, attack, expect
from lab import eventually
from protocol import Session, acceld_pb2

CLASS = "shared-memory names and seals"
MAILBOX_BYTES = 4096


def _memory(size, seals=0):
    descriptor = os.memfd_create("attack", os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    if seals:
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    return descriptor


def _ways(descriptor):
    """Control messages: none, one, and more than any packet may have, together and apart."""
    return ([[]], [[descriptor]], [[descriptor] * 2], [[descriptor] * 3], [[descriptor] * 9], [[descriptor] * 253],
            [[descriptor], [descriptor]], [[descriptor] * 2, [descriptor]], [[descriptor]] * 5)


@attack(CLASS, "one descriptor of two stayed open in the daemon, before any identity check, for as long as it ran")
def packets_with_more_descriptors(lab):
    session = Session(lab.client("ann"), lease_ms=60_000)
    memory = _memory(4096, fcntl.F_SEAL_SHRINK)
    answers, count = Answers(), 0
    # What gRPC opens once is open from here on.
    with packets.Segments(lab.socket_path) as segments:
        segments.attach(session.token)
        segments.ask(packets.LEAVE)
    before = lab.open_files()
    for attached in (False, True):
        for kind in range(0, 11):
            for size in (1, packets.REQUEST.size - 1, packets.REQUEST.size, packets.REQUEST.size + 1):
                for batches in _ways(memory):
                    descriptors = sum(len(batch) for batch in batches)
                    if attached and descriptors == 0 and size == packets.REQUEST.size:
                        continue  # That is a request as it should be.
                    with packets.Segments(lab.socket_path) as segments:
                        if attached:
                            segments.attach(session.token)
                        data = (packets.request(kind) + bytes(8))[:size]
                        if not packets.send_descriptors(segments.sock, data, batches):
                            answers["not sent"] += 1
                            continue
                        answers["ended" if segments.receive()[0] == packets.CLOSED else "answered"] += 1
                        if attached:
                            segments.ask(packets.LEAVE)
                    count += 1
    expect(eventually(lambda: lab.open_files() <= before), f"open files {before} -> {lab.open_files()}")
    # The same on the socket of gRPC, which takes none.
    for batches in _ways(memory):
        with socket.socket(socket.AF_UNIX) as plain:
            plain.connect(lab.socket_path)
            packets.send_descriptors(plain, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", batches)
        count += 1
    expect(eventually(lambda: lab.open_files() <= before), f"open files {before} -> {lab.open_files()}: gRPC's")
    os.close(memory)
    session.close()
    return Outcome(f"{count} packets with 0 to 253 descriptors", f"{answers}; open files before and after {before}")


@attack(CLASS, "gRPC asks a reset socket for errors and gets descriptors, which stay open: 20 -> 4,619")
def descriptors_before_a_reset(lab):
    """The daemon's first bytes stay unread here, so that closing resets the connection, with descriptors in its queue:
    gRPC looks for errors with recvmsg(MSG_ERRQUEUE), which on a unix socket receives what is there."""
    memory, before, count = _memory(4096), lab.open_files(), 0
    for descriptors in (1, 2, 8, 100, 253):
        for _ in range(20):
            with socket.socket(socket.AF_UNIX) as plain:
                plain.settimeout(5)
                plain.connect(lab.socket_path)
                plain.recv(1, socket.MSG_PEEK)
                packets.send_descriptors(plain, b"x", [[memory] * descriptors])
            count += 1
    os.close(memory)
    expect(eventually(lambda: lab.open_files() <= before + 4, 5), f"open files {before} -> {lab.open_files()}")
    return Outcome(f"{count} connections to gRPC's socket with 1 to 253 descriptors, closed with bytes unread",
                   f"open files {before} before, {lab.open_files()} after")


@attack(CLASS, "one descriptor of two stayed open in the daemon")
def commands_with_descriptors(lab):
    ann = lab.client("ann")
    memory = _memory(4096, fcntl.F_SEAL_SHRINK)
    Session(ann).close()
    count, before = 0, lab.open_files()
    for payload in (b"\0", b"\0\xff\xff", b"\1more", b"\7what", b"\0" * packets.REQUEST.size):
        for batches in _ways(memory)[1:]:
            session = Session(ann)
            with packets.Segments(lab.socket_path) as segments:
                segments.attach(session.token)
                channel, boxes = packets.channel_of(segments)
                packets.send_descriptors(channel, payload, batches)
                try:
                    channel.recv(1 << 16)
                except OSError:
                    pass
                channel.close()
                os.close(boxes)
            session.close()
            count += 1
    os.close(memory)
    expect(eventually(lambda: lab.open_files() <= before + 2), f"open files {before} -> {lab.open_files()}")
    return Outcome(f"{count} packets of commands with 1 to 253 descriptors",
                   f"ended each time; open files {before} before, {lab.open_files()} after")


@attack(CLASS, "held: shared memory")
def lent_memory_that_changes(lab):
    session = Session(lab.client("ann"))
    answers, count = Answers(), 0
    pipe_ends, folder = os.pipe(), os.open("/", os.O_RDONLY)
    with tempfile.TemporaryFile() as plain_file:
        plain_file.truncate(1 << 20)
        lent = {
            "a file": os.dup(plain_file.fileno()), "a pipe": pipe_ends[0], "a folder": folder,
            "/dev/zero": os.open("/dev/zero", os.O_RDWR), "/proc/self/mem": os.open("/proc/self/mem", os.O_RDWR),
            "memory that can shrink": _memory(1 << 20), "no bytes": _memory(0, fcntl.F_SEAL_SHRINK),
            "memory for writing only": None,
        }
        sealed = _memory(1 << 20, fcntl.F_SEAL_SHRINK)
        lent["memory for writing only"] = os.open(f"/proc/self/fd/{sealed}", os.O_WRONLY)
        with packets.Segments(lab.socket_path) as segments:
            expect(segments.attach(session.token) == 0, "no segment connection")
            for name, descriptor in lent.items():
                code = segments.ask(packets.LEND, passed=[descriptor])[0]
                expect(code != packets.CLOSED, f"{name} ended the connection")
                # What was taken is shrunk under the daemon, if that can be.
                try:
                    os.ftruncate(descriptor, 0)
                except OSError:
                    pass
                upload = session.id()
                command = _begin_upload(upload, 1 << 10)
                session.send(command)
                read = segments.ask(packets.UPLOAD_LENT, target=upload, size=4 << 10, last=1)[0]
                answers[f"{name}: {code}, then {read}"] += 1
                expect(lab.is_alive(), f"the daemon has ended on {name}")
                count += 1
            # And all at once, while it is read.
            segments.ask(packets.LEND, passed=[sealed])
            segments.ask(packets.LEAVE)
        for descriptor in (*lent.values(), sealed, pipe_ends[1]):
            os.close(descriptor)
    session.close()
    return Outcome(f"{count} descriptors lent that are no sealed memory", str(answers))


def _begin_upload(handle, elements):
    command = acceld_pb2.Command()
    command.begin_upload.handle = handle
    command.begin_upload.type.dtype = "f32"
    command.begin_upload.type.dims.append(elements)
    return command


@attack(CLASS, "held: shared memory")
def memory_of_others_is_written(lab):
    """What the daemon maps for all readers of an array can neither be written nor resized by one of them."""
    ann = lab.client("ann")
    session = Session(ann)
    elements = 1 << 18
    handle = session.put(programs.zeros(elements))
    ready = session.fetch(handle)
    expect(ready.code == 0 and ready.transfer_id != 0, "no transfer")
    tried = 0
    with packets.Segments(lab.socket_path) as segments:
        expect(segments.attach(session.token) == 0, "no segment connection")
        shared = []
        for _ in range(1000):
            code, message, _, shared = segments.ask(packets.SHARE, target=ready.transfer_id)
            expect(code == 0, f"{code} {message}")
            if shared:
                break
        expect(shared, "no shared memory")
        for attempt in (lambda: os.write(shared[0], b"x"), lambda: os.ftruncate(shared[0], 0),
                        lambda: mmap.mmap(shared[0], 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE),
                        lambda: os.write(os.open(f"/proc/self/fd/{shared[0]}", os.O_RDWR), b"x"),
                        lambda: fcntl.fcntl(shared[0], fcntl.F_ADD_SEALS, 0) and None):
            tried += 1
            try:
                result = attempt()
            except (OSError, ValueError):
                continue
            expect(result in (None, 0), "memory that others map was written")
        os.close(shared[0])
        segments.ask(packets.LEAVE)
    session.close()
    return Outcome(f"writing and resizing a shared array in {tried} ways", "refused by the kernel: it is sealed")


@attack(CLASS, "held: 336,000 writes")
def mailbox_writes(lab):
    """Anything at all in the memory of an own channel's mailboxes, while commands come by it and by the socket."""
    ann, dice, writes, answers = lab.client("ann"), random.Random(3), 0, Answers()
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline:
        session = Session(ann)
        with packets.Segments(lab.socket_path) as segments:
            expect(segments.attach(session.token) == 0, "no segment connection")
            channel, boxes = packets.channel_of(segments)
            memory = mmap.mmap(boxes, 2 * MAILBOX_BYTES)
            channel.settimeout(0.05)
            try:
                for _ in range(200):
                    for _ in range(20):
                        size = dice.choice((1, 4, 8, 8, 64))
                        at = dice.choice((0, 64, 128, 192, dice.randrange(2 * MAILBOX_BYTES - 64),
                                          MAILBOX_BYTES + dice.choice((0, 64, 128, 192))))
                        memory[at:at + size] = dice.choice((bytes(size), b"\xff" * size, dice.randbytes(size)))
                        writes += 1
                    channel.send(b"\0")  # An empty batch, behind which the daemon looks at the mailbox.
            except OSError:
                answers["ended its channel"] += 1
            else:
                answers["went on"] += 1
            memory.close()
            channel.close()
            os.close(boxes)
        session.close()
        expect(lab.is_alive(), "the daemon has ended")
    return Outcome(f"{writes} writes to mailboxes of {sum(answers.values())} sessions", str(answers))


@attack(CLASS, "held: identities")
def tokens_of_sessions_are_guessed(lab):
    answers = Answers()
    other = Session(lab.client("bob"), lease_ms=10_000)
    near = bytearray(other.token)
    for token in [b"", bytes(16), b"\xff" * 16] + [bytes(near[:i] + bytes([near[i] ^ 1]) + near[i + 1:])
                                                   for i in range(16)] * 4:
        with packets.Segments(lab.socket_path) as segments:
            answers[segments.attach(token)] += 1
    expect(set(answers) == {5}, f"something else than NOT_FOUND: {answers}")
    other.close()
    return Outcome(f"{sum(answers.values())} tokens that are nearly another's", f"NOT_FOUND {answers[5]}")
