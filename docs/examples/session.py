"""A session with acceld. Needs grpcio and the stubs of proto/.

    PYTHONPATH=build/stubs python3 docs/examples/session.py ADDRESS
"""

import array
import itertools
import queue
import sys
import threading

import grpc
from acceld.v1 import acceld_pb2 as pb
from acceld.v1 import acceld_pb2_grpc, program_pb2

SIZE = 100_000
DOUBLE = f"""
func.func @main(%x: tensor<{SIZE}xf32>) -> tensor<{SIZE}xf32> {{
  %y = stablehlo.add %x, %x : tensor<{SIZE}xf32>
  return %y : tensor<{SIZE}xf32>
}}
"""


class AcceldError(Exception):
    """The status of an answer, or of the session's end."""

    def __init__(self, code, message):
        names = {status.value[0]: status.name for status in grpc.StatusCode}
        super().__init__(f"{names.get(code, code)}: {message}")


class Session:
    """Commands go out through a queue; one thread reads events; another one renews the lease."""

    def __init__(self, channel, lease_ms=30_000):
        self.stub = acceld_pb2_grpc.AcceldStub(channel)
        self.outgoing = queue.SimpleQueue()  # Batches; None closes the stream.
        self.numbers = itertools.count(1)  # For handles, programs and requests alike.
        self.changed = threading.Condition()  # Guards the next four.
        self.sent = self.credited = 0  # Commands after Hello.
        self.answers = {}  # Ready by request id.
        self.end = None  # Why the session has ended.
        self.events = self.stub.Channel(iter(self.outgoing.get, None), wait_for_ready=True)
        hello = pb.Hello(protocol_version=1, client_name="session.py", lease_ms=lease_ms)
        self.outgoing.put(pb.CommandBatch(commands=[pb.Command(hello=hello)]))
        self.welcome = next(self.events).events[0].welcome
        self.closed = threading.Event()
        threading.Thread(target=self.read_events, daemon=True).start()
        if self.welcome.lease_ms > 0:
            threading.Thread(target=self.renew_lease, daemon=True).start()

    def read_events(self):
        end = AcceldError(14, "the stream has ended")
        try:
            for batch in self.events:
                for event in batch.events:
                    with self.changed:
                        if event.HasField("ready"):
                            self.answers[event.ready.request_id] = event.ready
                        elif event.HasField("credit"):
                            self.credited += event.credit.commands
                        elif event.HasField("goodbye"):
                            end = AcceldError(event.goodbye.code, event.goodbye.message)
                            self.outgoing.put(None)
                        self.changed.notify_all()
        except grpc.RpcError as error:
            end = AcceldError(error.code().value[0], error.details())
        with self.changed:
            self.end = end
            self.changed.notify_all()

    def renew_lease(self):
        while not self.closed.wait(self.welcome.lease_ms / 3000):
            self.outgoing.put(pb.CommandBatch())

    def wait(self, condition):
        self.changed.wait_for(lambda: condition() or self.end is not None)
        if not condition():
            raise self.end

    def send(self, **command):
        """Sends a command as soon as the window lets it out, and returns its number."""
        with self.changed:
            self.wait(lambda: self.sent - self.credited < self.welcome.command_window)
            self.sent += 1
            self.outgoing.put(pb.CommandBatch(commands=[pb.Command(**command)]))
            return self.sent

    def register(self, text):
        program = next(self.numbers)
        self.send(register_program=pb.RegisterProgram(program_id=program, program=pb.Program(text=text.encode())))
        return program

    def upload(self, dtype, dims, data, chunk_bytes=1 << 20):
        handle = next(self.numbers)
        type = program_pb2.TensorType(dtype=dtype, dims=dims)
        number = self.send(begin_upload=pb.BeginUpload(handle=handle, type=type))
        with self.changed:  # Before the credit the daemon may not know the handle.
            self.wait(lambda: self.credited >= number)
        chunks = (pb.UploadChunk(session_token=self.welcome.session_token, handle=handle, data=data[at:at + chunk_bytes])
                  for at in range(0, max(len(data), 1), chunk_bytes))  # One chunk at least.
        self.stub.Upload(chunks)
        return handle

    def execute(self, program, *inputs):
        """Returns at once: the handle of a result that is yet to be computed."""
        handle = next(self.numbers)
        self.send(execute=pb.Execute(program_id=program, inputs=inputs, outputs=[handle]))
        return handle

    def fetch(self, handle):
        request = next(self.numbers)
        self.send(fetch=pb.Fetch(request_id=request, handle=handle))
        with self.changed:
            self.wait(lambda: request in self.answers)
            ready = self.answers.pop(request)
        if ready.code != 0:
            raise AcceldError(ready.code, ready.message)
        if ready.transfer_id == 0:
            return ready.data
        download = pb.DownloadRequest(session_token=self.welcome.session_token, transfer_id=ready.transfer_id)
        return b"".join(chunk.data for chunk in self.stub.Download(download))

    def release(self, *handles):
        self.send(release=pb.Release(handles=handles))

    def close(self):
        self.closed.set()
        self.stub.EndSession(pb.EndSessionRequest(session_token=self.welcome.session_token))


with grpc.insecure_channel(sys.argv[1]) as channel:
    session = Session(channel)
    print("devices:", [device.kind for device in session.welcome.devices], "lease:", session.welcome.lease_ms, "ms")
    double = session.register(DOUBLE)
    x = session.upload("f32", [SIZE], array.array("f", range(SIZE)).tobytes())
    y = session.execute(double, x)
    z = session.execute(double, y)  # Nothing has been waited for.
    values = array.array("f", session.fetch(z))
    print("z:", values[:4].tolist(), "...", values[-1])

    short = session.upload("f32", [2], array.array("f", [1, 2]).tobytes())
    wrong = session.execute(double, short)  # Sent and forgotten: no error here,
    later = session.execute(double, wrong)  # nor here.
    try:
        session.fetch(later)
    except AcceldError as error:
        print("error:", error)

    session.release(x, y, short, wrong, later)  # z is still there.
    print("z:", array.array("f", session.fetch(z))[1])
    session.close()
