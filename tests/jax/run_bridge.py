#!/usr/bin/python3
"""Runs programs on a daemon for a Python that has no grpcio, such as one that JAX was installed into.

    run_bridge.py SOCKET        SOCKET is the unix socket of a daemon

Started by random_programs.py with the distribution's Python, which has the distribution's grpcio. Reads requests from
its standard input and answers each, in order, on its standard output. Both are a length of four bytes and a pickle:

    request   (program text, [(element type, dimensions, bytes)], seconds until it is given up)
    answer    (None or the error's text, [(element type, dimensions, bytes)])
"""

import concurrent.futures
import pathlib
import pickle
import struct
import subprocess
import sys
import tempfile
import threading

import grpc

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_MESSAGE_BYTES = 1 << 28


def generated_stubs(folder):
    protos = [str(path.relative_to(ROOT / "proto")) for path in (ROOT / "proto/acceld/v1").glob("*.proto")]
    subprocess.run(["protoc", f"-I{ROOT / 'proto'}", f"--python_out={folder}", f"--grpc_out={folder}",
                    "--plugin=protoc-gen-grpc=/usr/bin/grpc_python_plugin", *protos], check=True)
    sys.path.insert(0, str(folder))
    from acceld.v1 import acceld_pb2, acceld_pb2_grpc
    return acceld_pb2, acceld_pb2_grpc


def read_exactly(stream, size):
    data = stream.read(size)
    return data if len(data) == size else None


def main():
    with tempfile.TemporaryDirectory() as folder:
        messages, services = generated_stubs(folder)
    limits = [("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
              ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES)]
    channel = grpc.insecure_channel(f"unix:{sys.argv[1]}", options=limits)
    grpc.channel_ready_future(channel).result(timeout=60)
    stub = services.AcceldStub(channel)

    def answer(request):
        program, arguments, timeout_s = request
        run = messages.RunRequest()
        run.program.text = program.encode()
        for dtype, dims, data in arguments:
            literal = run.arguments.add(data=data)
            literal.type.dtype = dtype
            literal.type.dims.extend(dims)
        try:
            reply = stub.Run(run, timeout=timeout_s)
        except grpc.RpcError as error:
            return f"{error.code().name}: {error.details()}", []
        return None, [(r.type.dtype, tuple(r.type.dims), r.data) for r in reply.results]

    # Programs run beside each other; answers keep the order of their requests.
    pool = concurrent.futures.ThreadPoolExecutor(max_workers=4)
    answers, space = [], threading.Semaphore(64)
    changed = threading.Condition()

    def write_answers():
        while True:
            with changed:
                while not answers:
                    changed.wait()
                first = answers.pop(0)
            if first is None:
                return
            data = pickle.dumps(first.result())
            sys.stdout.buffer.write(struct.pack(">I", len(data)) + data)
            sys.stdout.buffer.flush()
            space.release()

    writer = threading.Thread(target=write_answers)
    writer.start()
    while (head := read_exactly(sys.stdin.buffer, 4)) is not None:
        data = read_exactly(sys.stdin.buffer, struct.unpack(">I", head)[0])
        if data is None:
            break
        space.acquire()
        future = pool.submit(answer, pickle.loads(data))
        with changed:
            answers.append(future)
            changed.notify()
    with changed:
        answers.append(None)
        changed.notify()
    writer.join()


if __name__ == "__main__":
    main()
