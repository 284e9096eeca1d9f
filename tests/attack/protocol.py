"""A raw client of the protocol: stock grpcio and stubs that protoc makes of proto/, nothing of ours."""

import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time
import types

import grpc

ROOT = pathlib.Path(__file__).resolve().parents[2]
_STUBS = tempfile.TemporaryDirectory(prefix="acceld-attack-stubs-")


def _stubs():
    """The folder of the stubs: a bundle brings them, where there is no protoc."""
    bundled = pathlib.Path(__file__).parent / "stubs"
    if bundled.exists():
        return str(bundled)
    protos = [str(path.relative_to(ROOT / "proto")) for path in (ROOT / "proto/acceld/v1").glob("*.proto")]
    subprocess.run(["protoc", f"-I{ROOT / 'proto'}", f"--python_out={_STUBS.name}", f"--grpc_out={_STUBS.name}",
                    "--plugin=protoc-gen-grpc=/usr/bin/grpc_python_plugin", *protos], check=True)
    return _STUBS.name


sys.path.insert(0, _stubs())
from acceld.v1 import acceld_pb2, acceld_pb2_grpc, program_pb2  # noqa: E402, F401

INTERACTIVE = 2
# A call that takes longer has found something.
CALL_TIMEOUT_S = 30


def status_of(call):
    """The name of the status that a call ends with, and its message."""
    try:
        call()
    except grpc.RpcError as error:
        return error.code().name, error.details() or ""
    return "OK", ""


class Client:
    """A connection of its own."""

    def __init__(self, target, token=""):
        # Otherwise all clients of this process share one connection.
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1),
                   ("grpc.max_send_message_length", -1)]
        self.channel = grpc.insecure_channel(target, options=options)
        self.stub = acceld_pb2_grpc.AcceldStub(self.channel)
        self.metadata = [("authorization", f"Bearer {token}")] if token else []

    def close(self):
        self.channel.close()

    def wait_until_ready(self, patience_s, process):
        """Whether the daemon lets it in; at once no when the daemon's process has ended."""
        deadline = time.monotonic() + patience_s
        while process.poll() is None and time.monotonic() < deadline:
            if status_of(self.stats)[0] == "OK":
                return True
            time.sleep(0.05)
        return False

    def stats(self):
        """The counters and the other fields of Stats, as attributes."""
        reply = self.stub.GetStats(acceld_pb2.GetStatsRequest(), timeout=CALL_TIMEOUT_S, metadata=self.metadata)
        return types.SimpleNamespace(**reply.counters, identities=reply.identities, incarnation=reply.incarnation)

    def devices(self):
        request = acceld_pb2.ListDevicesRequest()
        return self.stub.ListDevices(request, timeout=CALL_TIMEOUT_S, metadata=self.metadata).devices

    def purge_cache(self):
        request = acceld_pb2.PurgeCacheRequest()
        return self.stub.PurgeCache(request, timeout=CALL_TIMEOUT_S, metadata=self.metadata)

    def sessions(self):
        request = acceld_pb2.ListSessionsRequest()
        return self.stub.ListSessions(request, timeout=CALL_TIMEOUT_S, metadata=self.metadata)

    def running(self):
        return self.sessions().running

    def run(self, program, arguments=(), timeout_s=CALL_TIMEOUT_S):
        """`program`: text or bytecode, or a Module."""
        request = acceld_pb2.RunRequest(arguments=arguments)
        if isinstance(program, program_pb2.Module):
            request.program.module.CopyFrom(program)
        else:
            request.program.text = program if isinstance(program, bytes) else program.encode()
        return self.stub.Run(request, timeout=timeout_s, metadata=self.metadata)

    def status_of_run(self, program, arguments=(), timeout_s=CALL_TIMEOUT_S):
        return status_of(lambda: self.run(program, arguments, timeout_s))

    def call_with_bytes(self, method, message, timeout_s=CALL_TIMEOUT_S):
        """Sends bytes as the message of a method; the name of the status."""
        path = f"/acceld.v1.Acceld/{method}"
        if method == "Run":
            return status_of(lambda: self.channel.unary_unary(path)(
                message, timeout=timeout_s, metadata=self.metadata))[0]
        if method == "Upload":
            return status_of(lambda: self.channel.stream_unary(path)(
                iter([message]), timeout=timeout_s, metadata=self.metadata))[0]
        return status_of(lambda: list(self.channel.stream_stream(path)(
            iter([message]), timeout=timeout_s, metadata=self.metadata)))[0]


class Ended(Exception):
    """The daemon has ended the stream, with this status."""


class Session:
    """A stream of commands and events, by hand."""

    def __init__(self, client, lease_ms=0, priority=0):
        self.client = client
        self._requests = queue.SimpleQueue()
        self._events = queue.SimpleQueue()
        self._next_id = 1
        self.call = client.stub.Channel(iter(self._requests.get, None), metadata=client.metadata)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        hello = acceld_pb2.Command()
        hello.hello.protocol_version = 1
        hello.hello.lease_ms = lease_ms
        hello.hello.priority = priority
        hello.hello.client_name = "attack"
        self.send(hello)
        self.welcome = self.next("welcome").welcome
        self.token = self.welcome.session_token

    def _read(self):
        try:
            for batch in self.call:
                for event in batch.events:
                    self._events.put(event)
            self._events.put(Ended("OK"))
        except grpc.RpcError as error:
            self._events.put(Ended(f"{error.code().name}: {error.details()}"))

    def id(self):
        self._next_id += 1
        return self._next_id

    def send(self, *commands):
        self._requests.put(acceld_pb2.CommandBatch(commands=commands))

    def next(self, kind=None, timeout_s=CALL_TIMEOUT_S):
        """The next event, of that kind; the others are dropped. Ended when there are no more."""
        deadline = time.monotonic() + timeout_s
        while True:
            event = self._events.get(timeout=max(0.001, deadline - time.monotonic()))
            if isinstance(event, Ended):
                raise event
            if kind is None or event.HasField(kind):
                return event
            if event.HasField("goodbye"):
                raise Ended(f"code {event.goodbye.code}: {event.goodbye.message}")

    def ready(self, request_id, timeout_s=CALL_TIMEOUT_S):
        while True:
            ready = self.next("ready", timeout_s).ready
            if ready.request_id == request_id:
                return ready

    def register(self, program):
        program_id = self.id()
        command = acceld_pb2.Command()
        command.register_program.program_id = program_id
        command.register_program.program.text = program.encode() if isinstance(program, str) else program
        self.send(command)
        return program_id

    def put(self, value):
        handle = self.id()
        command = acceld_pb2.Command()
        command.put.handle = handle
        command.put.literal.CopyFrom(value)
        self.send(command)
        return handle

    def execute(self, program_id, inputs, timeout_ms=None, awaited=False):
        """The handle of the result. Awaited: in one message with the request for its value."""
        output = self.id()
        command = acceld_pb2.Command()
        command.execute.program_id = program_id
        command.execute.inputs.extend(inputs)
        command.execute.outputs.append(output)
        if timeout_ms is not None:
            command.execute.timeout_ms = timeout_ms
        commands = [command]
        if awaited:
            commands.append(acceld_pb2.Command())
            getattr(commands[1], "await").request_id = self.id()
            getattr(commands[1], "await").handle = output
        self.send(*commands)
        return output

    def request(self, kind, handle=None, **fields):
        """Sends a command that is answered by its number, which is given back."""
        request_id = self.id()
        command = acceld_pb2.Command()
        message = getattr(command, kind)
        message.request_id = request_id
        if handle is not None:
            message.handle = handle
        for name, value in fields.items():
            setattr(message, name, value)
        self.send(command)
        return request_id

    def fetch(self, handle, timeout_s=CALL_TIMEOUT_S):
        return self.ready(self.request("fetch", handle), timeout_s)

    def await_(self, handle, timeout_s=CALL_TIMEOUT_S):
        return self.ready(self.request("await", handle), timeout_s)

    def cancel(self, handle):
        command = acceld_pb2.Command()
        command.cancel.handles.append(handle)
        command.cancel.reason = "not wanted"
        self.send(command)

    def release(self, *handles):
        command = acceld_pb2.Command()
        command.release.handles.extend(handles)
        self.send(command)

    def break_off(self):
        """The stream is lost, as if the client had died."""
        self.call.cancel()

    def close(self):
        """Ends the session, whatever its lease."""
        self.call.cancel()
        request = acceld_pb2.EndSessionRequest(session_token=self.token)
        status_of(lambda: self.client.stub.EndSession(request, timeout=CALL_TIMEOUT_S,
                                                      metadata=self.client.metadata))
