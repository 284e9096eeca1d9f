"""Runs one program on acceld with one call. Needs grpcio and the stubs of proto/.

    PYTHONPATH=build/stubs python3 docs/examples/run.py ADDRESS
"""

import struct
import sys

import grpc
from acceld.v1 import acceld_pb2, acceld_pb2_grpc, program_pb2

PROGRAM = b"""
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %z = stablehlo.add %x, %y : tensor<3xf32>
  return %z : tensor<3xf32>
}
"""


def floats(*values):
    """A one-dimensional array of f32: row-major, little-endian."""
    return program_pb2.Literal(
        type=program_pb2.TensorType(dtype="f32", dims=[len(values)]),
        data=struct.pack(f"<{len(values)}f", *values))


with grpc.insecure_channel(sys.argv[1]) as channel:
    stub = acceld_pb2_grpc.AcceldStub(channel)
    request = acceld_pb2.RunRequest(
        program=acceld_pb2.Program(text=PROGRAM), arguments=[floats(1, 2, 3), floats(10, 20, 30)])
    try:
        # The deadline of the call is that of the execution, too.
        reply = stub.Run(request, timeout=60, wait_for_ready=True)
    except grpc.RpcError as error:
        sys.exit(f"{error.code().name}: {error.details()}")
    for result in reply.results:
        print(result.type.dtype, list(result.type.dims), struct.unpack("<3f", result.data))
    print("cache verdict:", acceld_pb2.CacheVerdict.Name(reply.execution.verdict))
