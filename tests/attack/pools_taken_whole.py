"""What all clients share: one identity takes all that it can get, and another one still gets in (CWE-400, CWE-770)."""

import os
import socket
import time
import urllib.error

import http2
import packets
import programs
from attacks import Answers, Outcome, attack, expect
from lab import eventually, require_root
from protocol import Client, Ended, Session, acceld_pb2, status_of

CLASS = "pools taken whole"
ANN_UID = 64_001


def _end_all_of(lab, identity):
    for session in lab.admin.sessions().sessions:
        if session.identity == identity:
            request = acceld_pb2.KillSessionRequest(session_id=session.id, reason="the attack is over")
            status_of(lambda: lab.admin.stub.KillSession(request))


@attack(CLASS, "all 1,024 sessions, with leases and no connection, were one client's", flags=("--max-sessions", "16"))
def sessions_with_leases_and_no_connection(lab):
    ann, answers, message = lab.client("ann"), Answers(), ""
    for _ in range(32):
        try:
            Session(ann, lease_ms=60_000).break_off()
            answers["OK"] += 1
        except Ended as ended:
            answers[str(ended).split(":")[0]] += 1
            message = str(ended)
    expect(answers["OK"] == 4, f"ann has {answers['OK']} of 16 sessions")
    lab.serves()
    Session(lab.client("bob")).close()
    _end_all_of(lab, "token:ann")
    return Outcome("32 sessions of one identity where there are 16", f"{answers}; {message[:150]}")


@attack(CLASS, "10,000 named arrays were one client's, and outlived its session", flags=("--max-named-arrays", "16"))
def named_arrays_that_outlive_their_session(lab):
    session, answers = Session(lab.client("ann")), Answers()
    handle = session.put(programs.floats(1))
    names = [f"n{index}" for index in range(32)]
    for name in names:
        answers[session.ready(session.request("publish", handle, name=name)).code] += 1
    session.close()
    expect(answers[0] == 4, f"ann has {answers[0]} of 16 names")
    bob = Session(lab.client("bob"))
    mine = bob.put(programs.floats(2))
    code = bob.ready(bob.request("publish", mine, name="n0")).code
    expect(code == 0, f"bob cannot name an array: {code}")
    bob.ready(bob.request("drop_name", name="n0"))
    bob.close()
    session = Session(lab.client("ann"))
    for name in names:
        session.ready(session.request("drop_name", name=name))
    session.close()
    return Outcome("32 names of one identity where there are 16", f"codes {answers}")


@attack(CLASS, "up to 1 GiB a session of programs that never came whole, charged to nobody: RSS grew 1.3 GB past "
        "host-memory", flags=("--max-intake-memory", "64MiB"))
def half_sent_programs(lab):
    ann, before = lab.client("ann"), lab.resident_bytes()
    sessions, calls, answers = [], [], Answers()
    for index in range(8):
        session = Session(ann, lease_ms=60_000)
        command = acceld_pb2.Command()
        command.register_program.program_id = 1
        command.register_program.fingerprint = bytes([index] * 16)
        session.send(command)
        session.next("need_program")
        sessions.append(session)
        chunk = acceld_pb2.UploadChunk(session_token=session.token, program_id=1, data=b"x" * (1 << 20))

        def chunks(chunk=chunk):
            for _ in range(24):
                yield chunk
            time.sleep(6)  # The rest never comes.
        calls.append(ann.stub.Upload.future(chunks(), metadata=ann.metadata))
    time.sleep(3)
    grown = lab.resident_bytes() - before
    expect(grown < 128 << 20, f"resident memory grew by {grown >> 20} MiB")
    lab.serves()
    for call in calls:
        # The first may have room, and waits; the others are refused at once.
        answers[call.code().name if call.done() else "waits"] += 1
        call.cancel()
    expect(answers["RESOURCE_EXHAUSTED"] >= 6, str(answers))
    for session in sessions:
        session.close()
    return Outcome("8 programs of 24 MiB, 192 in all, that never end, where intake has 64 MiB",
                   f"{answers}; resident memory grew by {max(0, grown) >> 20} MiB")


@attack(CLASS, "10,000 programs a session, of any size, charged to nobody once they had come",
        flags=("--max-program-memory", "64MiB"))
def programs_that_sessions_hold(lab):
    ann, before = lab.client("ann"), lab.resident_bytes()
    answers, sessions, message = Answers(), [], ""
    for index in range(4):
        session = Session(ann, lease_ms=60_000)
        sessions.append(session)
        x = session.put(programs.floats(1))
        for number in range(12):
            program = session.register(programs.large_constant(8 << 20, seed=12 * index + number))
            ready = session.await_(session.execute(program, [x]))
            answers[ready.code] += 1
            message = message or ready.message
    grown = lab.resident_bytes() - before
    expect(answers[0] <= 4, f"ann has {answers[0]} programs of 8 MiB")
    lab.serves()
    for session in sessions:
        session.close()
    return Outcome("48 programs with constants of 8 MiB, 384 in all, where sessions may hold 64 MiB",
                   f"codes {answers}; {message[:120]}; resident memory grew by {max(0, grown) >> 20} MiB")


@attack(CLASS, "a program that cannot be read stayed as the error that quotes it, charged to nobody: 3.6 GiB for 90")
def errors_that_quote_programs(lab):
    session, before, longest = Session(lab.client("ann")), lab.resident_bytes(), 0
    x = session.put(programs.floats(1, 2))
    for index in range(24):
        name = f"stablehlo.a{index}" + "q" * (16 << 20)
        program = session.register(programs.main(
            "tensor<2xf32>", f'  %y = "{name}"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  return %y : tensor<2xf32>',
            "tensor<2xf32>"))
        ready = session.await_(session.execute(program, [x]))
        expect(ready.code != 0, "a program of an unknown op runs")
        longest = max(longest, len(ready.message))
    grown = lab.resident_bytes() - before
    expect(longest < 16 << 10, f"a message of {longest} bytes")
    expect(grown < 128 << 20, f"resident memory grew by {grown >> 20} MiB")
    session.close()
    return Outcome("24 programs of an unknown op whose name has 16 MiB, 384 in all",
                   f"messages of {longest} bytes at most; resident memory grew by {max(0, grown) >> 20} MiB")


@attack(CLASS, "what was to be decoded was taken in the order in which it came: another's two calls took 2.1 s; "
        "full, the queue refused all, and sessions of others ended")
def thousands_of_runs(lab):
    # Long enough to be decoded for longer than they take to come.
    body = "\n".join(f"  %v{index} = stablehlo.add %{'x' if index == 0 else f'v{index - 1}'}, %x : tensor<8xf32>"
                     for index in range(4000))
    program = programs.main("tensor<8xf32>", body + "\n  return %v3999 : tensor<8xf32>", "tensor<8xf32>")
    bob, worker, anns = lab.client("bob"), Session(lab.client("bob")), [lab.client("ann") for _ in range(4)]
    double, x = worker.register(programs.DOUBLE), worker.put(programs.floats(1, 2))
    expect(worker.await_(worker.execute(double, [x])).code == 0, "bob cannot work")
    calls, answers, slowest = [], Answers(), 0.0
    request = acceld_pb2.RunRequest(arguments=[programs.zeros(8)])
    end = time.monotonic() + 6
    while time.monotonic() < end:
        for client in anns:
            for _ in range(100):
                request.program.text = f"{program}// {len(calls)}".encode()
                calls.append(client.stub.Run.future(request, metadata=client.metadata, timeout=20))
        begin = time.monotonic()
        code, message = bob.status_of_run(programs.DOUBLE, [programs.floats(1, 2)])
        expect(code == "OK", f"bob's run: {code} {message}")
        try:
            code = worker.await_(worker.execute(double, [x])).code
        except Ended as ended:
            expect(False, f"bob's session: {ended}")
        expect(code == 0, f"bob's execution: {code}")
        slowest = max(slowest, time.monotonic() - begin)
    for call in calls:
        call.cancel()
    for call in calls:
        answers[call.code().name] += 1
    worker.close()
    expect(slowest < 1, f"bob waited {slowest:.1f} s")
    return Outcome(f"{len(calls)} runs of programs of 230 KiB over four connections in 6 s",
                   f"{answers}; another's two calls took {slowest * 1e3:.0f} ms at most")


@attack(CLASS, "64 MiB a connection of messages that never came whole", flags=("--max-intake-memory", "64MiB"))
def message_reassembly(lab):
    ann, before = lab.client("ann"), lab.resident_bytes()
    held, answers = [], Answers()
    for _ in range(8):
        session = Session(ann)
        segments = packets.Segments(lab.socket_path)
        expect(segments.attach(session.token) == 0, "no segment connection")
        channel, boxes = packets.channel_of(segments)
        os.close(boxes)
        channel.settimeout(5)
        part, sent = b"\1" + b"x" * ((64 << 10) - 1), 0
        try:
            for _ in range(320):
                channel.send(part)
                sent += 1
        except OSError:
            pass
        answers["taken" if sent == 320 else "refused"] += 1
        held.append((session, segments, channel))
    grown = lab.resident_bytes() - before
    expect(grown < 128 << 20, f"resident memory grew by {grown >> 20} MiB")
    expect(answers["refused"] >= 7, str(answers))
    lab.serves()
    for session, segments, channel in held:
        channel.close()
        segments.sock.close()
        session.close()
    return Outcome("8 messages of 20 MiB, 160 in all, that never end, where intake has 64 MiB",
                   f"{answers}; resident memory grew by {max(0, grown) >> 20} MiB")


@attack(CLASS, "64 MiB a call of messages that never came whole, of any number of calls",
        flags=("--max-intake-memory", "64MiB"))
def calls_that_are_half_sent(lab):
    before, answers, held = lab.resident_bytes(), Answers(), []
    for method in ("Run", "Run", "GetStats", "Channel", "Upload"):
        connection = http2.Connection("127.0.0.1", lab.port, lab.tokens["ann"])
        held.append(connection)
        streams = [connection.begin(f"/acceld.v1.Acceld/{method}") for _ in range(32)]
        try:
            answers["MiB sent"] += connection.send(streams, 30 << 20, 60 << 20) >> 20
            answers["calls refused"] += len(connection.ended)
        except OSError as error:
            answers[f"connection ended: {type(error).__name__}"] += 1
        lab.serves()
    grown = lab.resident_bytes() - before
    expect(grown < 768 << 20, f"{answers}; resident memory grew by {grown >> 20} MiB")
    for connection in held:
        connection.close()
    return Outcome("5 connections with 32 calls of 60 MiB each, of which 30 come",
                   f"{answers}; resident memory grew by {max(0, grown) >> 20} MiB")


@attack(CLASS, "one identity had 16 of 16 connections", flags=("--max-segment-connections", "16", "--max-unidentified", "4"))
def segment_connections(lab):
    session, answers, held = Session(lab.client("ann")), Answers(), []
    for _ in range(32):
        segments = packets.Segments(lab.socket_path)
        answers[segments.attach(session.token)] += 1
        held.append(segments)
    expect(answers[0] == 4, f"ann has {answers[0]} of 16 segment connections")
    bob = Session(lab.client("bob"))
    with packets.Segments(lab.socket_path) as segments:
        code = segments.attach(bob.token)
        expect(code == 0, f"bob has none: {code}")
    for segments in held:
        segments.sock.close()
    bob.close()
    session.close()
    return Outcome("32 segment connections of one identity where there are 16", f"codes {answers}")


@attack(CLASS, "4,100 connections over TCP were one client's", flags=("--max-descriptors", "80"))
def connections_over_tcp(lab):
    answers, clients = Answers(), []
    for _ in range(40):
        client = lab.client("ann", tcp=True)
        code, message = status_of(client.devices)
        answers[code] += 1
        clients.append(client)
    expect(answers["OK"] <= 20, f"ann has {answers['OK']} connections of 80")
    lab.serves()
    code, _ = status_of(lab.client("bob", tcp=True).devices)
    expect(code == "OK", f"bob does not get in: {code}")
    for client in clients:
        client.close()
    return Outcome("40 connections of one identity over TCP where there are 80", str(answers))


@attack(CLASS, "the segment listener span, and neither the metrics page nor an admin got in", open_files=300,
        flags=("--socket-mode", "0666", "--users", "uid:*", "--identity-share", "100", "--max-descriptors", "1000",
               "--max-unidentified", "1000"))
def out_of_descriptors(lab):
    require_root("only root can be another user")
    sockets = []
    os.seteuid(ANN_UID)
    try:
        for _ in range(400):
            for path, kind in ((lab.socket_path, socket.SOCK_STREAM),
                               (lab.socket_path + ".segments", socket.SOCK_SEQPACKET)):
                peer = socket.socket(socket.AF_UNIX, kind)
                peer.setblocking(False)
                try:
                    peer.connect(path)
                    sockets.append(peer)
                except OSError:
                    peer.close()
    finally:
        os.seteuid(0)
    time.sleep(0.3)
    taken, before = lab.open_files(), lab.processor_s()
    time.sleep(1)
    spent = lab.processor_s() - before
    expect(spent < 0.5, f"{spent:.2f} s of processor time in a second of nothing")
    try:
        expect("acceld_uptime_seconds" in lab.metrics(), "no metrics")
    except (urllib.error.URLError, OSError) as error:
        expect(False, f"the metrics page does not answer: {error}")
    admin = Client(f"unix:{lab.socket_path}")
    code, message = status_of(admin.sessions)
    expect(code == "OK", f"an admin does not get in: {code} {message}")
    admin.close()
    for peer in sockets:
        peer.close()
    return Outcome(f"{len(sockets)} connections of a user to a daemon that may open 300 files",
                   f"{taken} open; {spent * 1e3:.0f} ms of processor time a second; metrics and an admin got in")


@attack(CLASS, "held: limits of one session")
def handles_and_answers_of_one_session(lab):
    """Floods that one session's own limits are for: answers that nobody reads, handles, refusals."""
    ann, answers = lab.client("ann"), Answers()
    before = lab.resident_bytes()
    for kind in ("puts", "fetches", "refusals", "programs"):
        session = Session(ann)
        batch = []
        handle = session.put(programs.zeros(1 << 10))
        for index in range(20_000):
            command = acceld_pb2.Command()
            if kind == "puts":
                command.put.handle = 1_000_000 + index
                command.put.literal.CopyFrom(programs.floats(1))
            elif kind == "fetches":
                command.fetch.request_id = 1_000_000 + index
                command.fetch.handle = handle
            elif kind == "refusals":
                command.execute.program_id = 77
                command.execute.outputs.append(1_000_000 + index)
            else:
                command.register_program.program_id = 1_000_000 + index
                command.register_program.program.text = b"func.func @main() {"
            batch.append(command)
        session.send(*batch)
        lab.serves()
        session.close()
        answers[kind] += len(batch)
    grown = lab.resident_bytes() - before
    expect(grown < 512 << 20, f"resident memory grew by {grown >> 20} MiB")
    return Outcome("20,000 of each in one batch", f"{answers}; resident memory grew by {max(0, grown) >> 20} MiB")


@attack(CLASS, "a compile took what it took: this one 46 s, one of 20,000 parts 1.8 GiB",
        flags=("--max-compile-memory", "100MiB"))
def memory_of_a_compile(lab):
    code, message = lab.client("ann").status_of_run(programs.concatenation(100_000), [programs.zeros(8)], 60)
    expect(code == "RESOURCE_EXHAUSTED" and "more memory than the limit" in message, f"{code} {message}")
    return Outcome("a concatenation of 100,000 parts where a compile may take 100 MiB", f"{code} {message[:120]}")


def _compile(lab, user, numbers):
    """How many of these programs nobody had compiled. A session holds a few hundred programs at a time."""
    before = lab.admin.stats().compiles
    for begin in range(0, len(numbers), 200):
        session = Session(lab.client(user))
        for number in numbers[begin:begin + 200]:
            argument = session.put(programs.zeros(64))
            session.await_(session.execute(session.register(programs.number(number)), [argument]))
        session.close()
    return lab.admin.stats().compiles - before


@attack(CLASS, "all of bob's programs had to be compiled again",
        flags=("--cache-memory-size", "1MiB", "--cache-disk-size", "1MiB"))
def programs_that_fill_the_cache(lab):
    _compile(lab, "bob", range(20))
    compiled = _compile(lab, "ann", range(1000, 1800))
    stats = lab.admin.stats()
    expect(compiled == 800 and stats.cache_disk_entries < 500, f"{compiled} compiled, {stats.cache_disk_entries} kept")
    lost = _compile(lab, "bob", range(20))
    expect(lost == 0, f"{lost} of bob's 20 programs were pushed out")
    return Outcome("800 programs of one identity where the cache has room for some 300, beside 20 of another",
                   f"{stats.cache_disk_entries} are kept, all of the other's among them")


MEMORY = ("--device-memory", "64MiB", "--host-memory", "64MiB")
MIB_OF_FLOATS = 1 << 18


def _fill(session, program, most):
    """Arrays of 1 MiB, until one is refused or there are so many."""
    arrays = []
    while len(arrays) < most:
        array = session.execute(program, [session.put(programs.zeros(1))])
        ready = session.await_(array, timeout_s=60)
        if ready.code != 0:
            return arrays, ready
        arrays.append(array)
    return arrays, None


@attack(CLASS, "who had filled the device and the host left others nothing: bob had 0 MiB", flags=MEMORY)
def arrays_that_fill_the_device(lab):
    ann, bob = Session(lab.client("ann")), Session(lab.client("bob"))
    hoard, refusal = _fill(ann, ann.register(programs.filled(MIB_OF_FLOATS)), 1000)
    expect(refusal is not None and len(hoard) > 64, f"ann has {len(hoard)} MiB and is not refused")
    bobs, refusal = _fill(bob, bob.register(programs.filled(MIB_OF_FLOATS)), 12)
    expect(refusal is None, f"bob has {len(bobs)} MiB: {refusal.message if refusal else ''}")
    for session, arrays in ((ann, hoard), (bob, bobs)):
        code = session.fetch(arrays[0]).code
        expect(code == 0, f"an array is lost: {code}")
    ann.close()
    bob.close()
    return Outcome("arrays of 1 MiB until none is let in, where device and host have 64 MiB each, beside 12 of another",
                   f"one had {len(hoard)}, the other its 12; none was lost")


@attack(CLASS, "no answer in 60 s beside an endless program that held the memory", flags=MEMORY)
def endless_program_that_holds_the_memory(lab):
    ann, bob = Session(lab.client("ann")), Session(lab.client("bob"))
    output = ann.execute(ann.register(programs.endless_on(60 * MIB_OF_FLOATS)), [ann.put(programs.zeros(1))])
    expect(eventually(lambda: lab.admin.devices()[0].memory_used_bytes > 56 << 20), "ann's program does not run")
    begin = time.monotonic()
    large = bob.execute(bob.register(programs.filled(12 * MIB_OF_FLOATS)), [bob.put(programs.zeros(1))])
    ready = bob.await_(large, timeout_s=60)
    took = time.monotonic() - begin
    expect(ready.code == 0, f"bob's array: {ready.message}")
    ready = ann.await_(output)
    expect("more than its share" in ready.message, f"ann's program: {ready.code} {ready.message}")
    ann.close()
    bob.close()
    return Outcome("an endless program that holds 60 MiB of 64, beside an array of 12 MiB of another",
                   f"the other had it after {took:.1f} s; the program's end: {ready.message[:160]}")
