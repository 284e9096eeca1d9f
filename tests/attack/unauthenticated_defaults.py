"""Who has not said who he is, or is somebody else (CWE-287, CWE-306, CWE-522, CWE-200)."""

import os
import pathlib
import socket
import subprocess
import sys
import time

import programs
from attacks import Answers, Outcome, attack, expect
from lab import eventually, require_root
from protocol import Session, acceld_pb2, status_of

CLASS = "unauthenticated defaults"
NOBODY = 65534

# Another user who listens where a client expects its daemon, and prints what it is sent.
IMPOSTOR = """
import os, socket, sys
os.setgid(65534); os.setuid(65534)
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1]); listener.listen(8)
print("ready", flush=True)
while True:
    peer, _ = listener.accept()
    peer.settimeout(1)
    try:
        peer.sendall(bytes.fromhex("000000040000000000"))  # An HTTP/2 server's first frame.
        print(peer.recv(1 << 16).hex(), flush=True)
        print(peer.recv(1 << 16).hex(), flush=True)
    except OSError:
        pass
    peer.close()
"""


@attack(CLASS, "held: identities")
def calls_without_a_token(lab):
    answers = Answers()
    calls = {
        "Run": lambda c: c.run(programs.DOUBLE, [programs.floats(1, 2)]),
        "GetStats": lambda c: c.stats(),
        "ListSessions": lambda c: c.sessions(),
        "ListDevices": lambda c: c.devices(),
        "ListNames": lambda c: c.stub.ListNames(acceld_pb2.ListNamesRequest(), metadata=c.metadata),
        "ListCache": lambda c: c.stub.ListCache(acceld_pb2.ListCacheRequest(), metadata=c.metadata),
        "Drain": lambda c: c.stub.Drain(acceld_pb2.DrainRequest(), metadata=c.metadata),
        "PurgeCache": lambda c: c.stub.PurgeCache(acceld_pb2.PurgeCacheRequest(), metadata=c.metadata),
        "GetTrace": lambda c: list(c.stub.GetTrace(acceld_pb2.GetTraceRequest(), metadata=c.metadata)),
        "GetSessionTrace": lambda c: list(c.stub.GetSessionTrace(acceld_pb2.GetSessionTraceRequest(),
                                                                 metadata=c.metadata)),
        "Channel": lambda c: list(c.stub.Channel(iter([acceld_pb2.CommandBatch()]), metadata=c.metadata)),
        "Upload": lambda c: c.stub.Upload(iter([acceld_pb2.UploadChunk()]), metadata=c.metadata),
    }
    for token in ("", "x", "ann", lab.tokens["ann"][:-1], lab.tokens["ann"] + "0", "a" * 4000):
        client = lab.client(tcp=True, token=token)
        for name, call in calls.items():
            code, message = status_of(lambda: call(client))
            expect(code in ("UNAUTHENTICATED", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED"),
                   f"{name} with the token {token[:10]!r}: {code} {message}")
            answers[code] += 1
    for name in ("ListCache", "Drain", "PurgeCache", "GetTrace"):
        code, message = status_of(lambda: calls[name](lab.client("ann")))
        expect(code == "PERMISSION_DENIED", f"{name} of a user who is no admin: {code} {message}")
        answers[code] += 1
    return Outcome(f"{sum(answers.values())} calls without a token, with a wrong one, and of a user to admins' RPCs",
                   str(answers))


@attack(CLASS, "4,100 idle connections over TCP stayed for as long as the client liked",
        flags=("--max-unidentified", "16", "--identify-timeout", "1"))
def idle_connections_over_tcp(lab):
    before = lab.open_files()
    silent = []
    for index in range(300):
        peer = socket.create_connection(("127.0.0.1", lab.port), timeout=5)
        if index % 3 == 1:
            peer.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        if index % 3 == 2:
            peer.sendall(b"GET / HTTP/1.0\r\n")
        silent.append(peer)
    newcomer = lab.client("bob", tcp=True)
    begin = time.monotonic()
    code, message = newcomer.status_of_run(programs.DOUBLE, [programs.floats(1, 2)])
    took_ms = (time.monotonic() - begin) * 1e3
    expect(code == "OK", f"somebody with a token did not get in: {code} {message}")
    most = lab.open_files()
    expect(eventually(lambda: lab.open_files() <= before + 4), f"open files {before} -> {lab.open_files()}")
    for peer in silent:
        peer.close()
    return Outcome(f"{len(silent)} connections that show no token", f"at most {most - before} were kept, none longer "
                   f"than seconds; who had a token got in within {took_ms:.0f} ms")


@attack(CLASS, "1,200 connections on the unix socket from a user who may not even use the daemon",
        flags=("--socket-mode", "0666", "--users", "uid:64001"))
def connections_of_other_users(lab):
    require_root("only root can be another user")
    before = lab.open_files()
    strangers, refused = [], 0
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        for _ in range(200):
            for path, kind in ((lab.socket_path, socket.SOCK_STREAM),
                               (lab.socket_path + ".segments", socket.SOCK_SEQPACKET)):
                peer = socket.socket(socket.AF_UNIX, kind)
                peer.settimeout(5)
                try:
                    peer.connect(path)
                    strangers.append(peer)
                except OSError:
                    refused += 1
                    peer.close()
    finally:
        os.seteuid(0)
        os.setegid(0)
    # Tokens are in use here, so a stranger may yet show one: he has seconds, and there are few such connections.
    most = lab.open_files()
    expect(most < before + 200, f"{most - before} connections of a user who may not use the daemon were kept")
    lab.serves()
    for peer in strangers:
        peer.close()
    expect(eventually(lambda: lab.open_files() <= before + 4), f"open files {before} -> {lab.open_files()}")
    return Outcome("400 connections to both sockets by a user who may not use the daemon",
                   f"{most - before} were kept at most, {refused} not even made")


@attack(CLASS, "an impostor who makes the socket's folder first was sent `authorization: Bearer ...`")
def impostors_get_no_token(lab):
    require_root("only root can be another user")
    accelctl = lab.binary.parent / "accelctl"
    folder = pathlib.Path(lab.folder) / "taken"
    folder.mkdir()
    os.chown(folder, NOBODY, NOBODY)
    path = folder / "acceld.sock"
    token_file = pathlib.Path(lab.folder) / "token-of-ann"
    token_file.write_text(lab.tokens["ann"])
    token_file.chmod(0o600)
    impostor = subprocess.Popen([sys.executable, "-c", IMPOSTOR, str(path)], stdout=subprocess.PIPE, text=True)
    expect(impostor.stdout.readline().strip() == "ready", "the impostor cannot listen")
    answers = Answers()
    said = ""
    for mode in (0o755, 0o777, 0o700):
        folder.chmod(mode)
        environment = {**os.environ, "ACCELD_TOKEN_FILE": str(token_file), "ACCELD_ADDRESS": f"unix:{path}"}
        for words in (["devices"], ["stats"], ["sessions"]):
            done = subprocess.run([str(accelctl), *words], env=environment, capture_output=True, text=True, timeout=30)
            expect(done.returncode != 0, "accelctl was content with an impostor")
            said = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else ""
            answers["refused by the client" if "acceld" in said else said[:60]] += 1
    impostor.kill()
    heard = bytes.fromhex("".join(impostor.communicate()[0].split()))
    expect(not heard, f"the impostor was sent {len(heard)} bytes")
    return Outcome(f"{sum(answers.values())} commands of a client to a socket of another user",
                   f"not one byte was sent; the client says: {said[:160]}")


@attack(CLASS, "a private name of another answered otherwise than one that does not exist")
def private_names_of_others(lab):
    bob, ann = Session(lab.client("bob")), Session(lab.client("ann"))
    handle = bob.put(programs.floats(1, 2))
    secret, none = "team/secret-weights", "team/no-such-weights"
    expect(bob.ready(bob.request("publish", handle, name=secret)).code == 0, "bob cannot publish")

    def opened(name):
        request = ann.request("open_named", ann.id(), name=name)
        while True:
            event = ann.next("opened").opened
            if event.request_id == request:
                return event.code, event.message.replace(name, "NAME"), event.HasField("type")

    def dropped(name):
        ready = ann.ready(ann.request("drop_name", name=name))
        return ready.code, ready.message.replace(name, "NAME")

    expect(opened(secret) == opened(none), f"opening tells them apart: {opened(secret)}, {opened(none)}")
    expect(opened(secret)[0] == 5, f"code {opened(secret)}")
    expect(dropped(secret) == dropped(none), f"dropping tells them apart: {dropped(secret)}, {dropped(none)}")
    own = ann.put(programs.floats(5, 6))
    for name in (secret, none):
        code = ann.ready(ann.request("publish", own, name=name)).code
        expect(code == 0, f"publishing {name} under ann's own names: {code}")
    reply = ann.client.stub.ListNames(acceld_pb2.ListNamesRequest(), metadata=ann.client.metadata)
    expect({array.owner for array in reply.arrays} == {"token:ann"}, f"names of others are listed: {reply.arrays}")
    for session, names in ((ann, (secret, none)), (bob, (secret,))):
        for name in names:
            expect(session.ready(session.request("drop_name", name=name)).code == 0, "a name of one's own")
    ann.close()
    bob.close()
    return Outcome("opening, dropping, taking and listing a private name of another",
                   "as if it did not exist, word for word")


@attack(CLASS, "held: identities")
def sessions_of_others(lab):
    bob, ann = Session(lab.client("bob"), lease_ms=30_000), lab.client("ann")
    handle = bob.put(programs.floats(1, 2))
    upload = acceld_pb2.Command()
    upload.begin_upload.handle = bob.id()
    upload.begin_upload.type.dtype = "f32"
    upload.begin_upload.type.dims.append(2)
    bob.send(upload)
    answers = Answers()
    for token in (bob.token, bytes(16)):
        chunk = acceld_pb2.UploadChunk(session_token=token, handle=upload.begin_upload.handle, data=b"12345678")
        answers[status_of(lambda: ann.stub.Upload(iter([chunk]), metadata=ann.metadata))] += 1
        answers[status_of(lambda: ann.stub.EndSession(acceld_pb2.EndSessionRequest(session_token=token),
                                                      metadata=ann.metadata))] += 1
        answers[status_of(lambda: list(ann.stub.Download(
            acceld_pb2.DownloadRequest(session_token=token, transfer_id=1), metadata=ann.metadata)))] += 1
        hello = acceld_pb2.CommandBatch()
        hello.commands.add().hello.protocol_version = 1
        hello.commands[0].hello.resume.session_token = token
        hello.commands[0].hello.resume.incarnation = lab.admin.stats().incarnation
        answers[status_of(lambda: list(ann.stub.Channel(iter([hello]), metadata=ann.metadata)))] += 1
    expect(all(code == "NOT_FOUND" for code, _ in answers), f"answers: {answers}")
    expect(all(count % 2 == 0 for count in answers.values()), f"another's token differs from none: {answers}")
    expect(programs.values_of(bob.fetch(handle).data) == [1, 2], "bob's session has changed")
    bob.close()
    return Outcome("8 calls with another's session token, and with none's", "NOT_FOUND in the same words")
