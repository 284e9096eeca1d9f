"""Numbers of the client's that the daemon computes addresses and sizes from (CWE-119, CWE-190, CWE-787)."""

import itertools
import os
import random
import struct

import packets
import programs
from attacks import Answers, Outcome, attack, expect
from protocol import Ended, Session, acceld_pb2

CLASS = "pointers and sizes from the wire"
ABSURD = (0, 1, 4095, 4096, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 62, (1 << 63) - 1, 1 << 63,
          (1 << 64) - 8, (1 << 64) - 1)


@attack(CLASS, "held: bounds")
def segment_requests_out_of_bounds(lab):
    ann = lab.client("ann")
    answers, count = Answers(), 0
    session = Session(ann)
    kinds = (packets.UPLOAD, packets.DOWNLOAD, packets.UPLOAD_LENT, packets.SHARE)
    upload = acceld_pb2.Command()
    upload.begin_upload.handle = 900
    upload.begin_upload.type.dtype = "f32"
    upload.begin_upload.type.dims.append(1000)
    session.send(upload)
    session.next("credit")
    with packets.Segments(lab.socket_path) as segments:
        expect(segments.attach(session.token) == 0, "no segment connection")
        expect(segments.ask(packets.MAP)[0] == 0, "no segment")
        dice = random.Random(1)
        for kind in kinds:
            for array_offset, segment_offset, size in dice.sample(list(itertools.product(ABSURD, repeat=3)), 300):
                if array_offset == 0 and size == 0 or segment_offset + size <= 4 << 20 and array_offset + size <= 4000:
                    continue  # That is a request as it should be.
                code = segments.ask(kind, target=900, array_offset=array_offset, segment_offset=segment_offset,
                                    size=size)[0]
                expect(code != packets.CLOSED, "the connection was ended")
                expect(code != 0 or kind == packets.DOWNLOAD, f"request {kind} at {array_offset}, {segment_offset} of "
                       f"{size} bytes was taken")
                answers[code] += 1
                count += 1
        segments.ask(packets.LEAVE)
    session.close()
    return Outcome(f"{count} requests beyond segment, array and lent memory",
                   "codes " + str(answers))


@attack(CLASS, "held: bounds")
def types_and_handles_that_are_absurd(lab):
    ann, count = lab.client("ann"), 0
    answers = Answers()
    for dims in ([1 << 62, 8], [-1], [-5], [1 << 40], [1 << 31, 1 << 31, 1 << 31], [0] * 5000, [1, 0, 1 << 62]):
        for dtype in ("f32", "i2", "complex<f64>", "", "f33", "\0"):
            session = Session(ann)
            literal = programs.literal(dtype, dims, b"12345678")
            handle = session.put(literal)
            upload = acceld_pb2.Command()
            upload.begin_upload.handle = 1 << 63
            upload.begin_upload.type.CopyFrom(literal.type)
            output = acceld_pb2.Command()
            output.execute.program_id = (1 << 64) - 1
            output.execute.inputs.extend([handle] * 1000)
            output.execute.outputs.extend([5, 5, 5, handle])
            output.execute.device = (1 << 32) - 1
            release = acceld_pb2.Command()
            release.release.handles.extend(ABSURD)
            try:
                session.send(upload, output, release)
                answers[session.fetch(handle).code] += 1
            except Ended as ended:
                answers[str(ended).split(":")[0]] += 1
            count += 1
            session.close()
            expect(lab.is_alive(), f"the daemon has ended on {dtype}{dims[:3]}")
    return Outcome(f"{count} sessions of absurd types, handles, devices and programs", str(answers))


def _routine_calls():
    """Calls of linear algebra with dimensions of nothing, and their arguments' shapes."""
    def call(name, arguments, results):
        names = ", ".join(f"%a{i}" for i in range(len(arguments)))
        typed = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(arguments))
        out = ", ".join(results)
        returned = ", ".join(f"%r#{i}" for i in range(len(results))) if len(results) > 1 else "%r"
        pack = f":{len(results)}" if len(results) > 1 else ""
        return (f"func.func @main({typed}) -> ({out}) {{\n  %r{pack} = stablehlo.custom_call @{name}({names}) "
                f"{{api_version = 4 : i32, mhlo.backend_config = {{}}}} : ({', '.join(arguments)}) -> ({out})\n"
                f"  return {returned} : {out}\n}}\n")

    for batch, n, sides in itertools.product((0, 1, 2), (0, 1, 3), (0, 1, 2)):
        diagonal, sides_kind = f"tensor<{batch}x{n}xf32>", f"tensor<{batch}x{n}x{sides}xf32>"
        yield (call("lapack_sgtsv_ffi", [diagonal] * 3 + [sides_kind],
                    [diagonal] * 3 + [sides_kind, f"tensor<{batch}xi32>"]),
               [(batch, n)] * 3 + [(batch, n, sides)])
    for batch, n, m in itertools.product((0, 2), (0, 1, 3), (0, 1, 3)):
        matrix, square = f"tensor<{batch}x{n}x{m}xf32>", f"tensor<{batch}x{n}x{n}xf32>"
        yield (f"func.func @main(%a0: {square}) -> {square} {{\n  %r = stablehlo.cholesky %a0, lower = true : "
               f"{square}\n  return %r : {square}\n}}\n", [(batch, n, n)])
        yield (f"func.func @main(%a0: {square}, %a1: {matrix}) -> {matrix} {{\n  %r = \"stablehlo.triangular_solve\""
               f"(%a0, %a1) {{left_side = true, lower = true, unit_diagonal = false, transpose_a = "
               f"#stablehlo<transpose NO_TRANSPOSE>}} : ({square}, {matrix}) -> {matrix}\n  return %r : {matrix}\n}}\n",
               [(batch, n, n), (batch, n, m)])
        pivots = f"tensor<{batch}x{min(n, m)}xi32>"
        yield (call("lapack_sgetrf_ffi", [matrix], [matrix, pivots, f"tensor<{batch}xi32>"]), [(batch, n, m)])
        yield (call("lapack_sgeqrf_ffi", [matrix], [matrix, f"tensor<{batch}x{min(n, m)}xf32>"]), [(batch, n, m)])


@attack(CLASS, "a tridiagonal solve with zero right-hand sides was a segmentation fault in the library")
def routines_of_zero_sizes_and_nan(lab):
    ann, count, answers = lab.client("ann"), 0, Answers()
    special = (0.0, 1.0, float("nan"), float("inf"), -1e38)
    for text, shapes in _routine_calls():
        for value in special:
            arguments = []
            for dims in shapes:
                elements = 1
                for dim in dims:
                    elements *= dim
                arguments.append(programs.literal("f32", dims, struct.pack("<f", value) * elements))
            answers[ann.status_of_run(text, arguments)[0]] += 1
            count += 1
            expect(lab.is_alive(), f"the daemon has ended on {value} in {text[:300]}")
    expect(answers["OK"] > count / 3, f"hardly any was computed: {answers}")
    expect(answers["UNAVAILABLE"] + answers["INTERNAL"] + answers["DEADLINE_EXCEEDED"] == 0, str(answers))
    return Outcome(f"{count} solves and factorizations with dimensions of zero, NaN and infinities", str(answers))


@attack(CLASS, "scatters read ui64 indices as signed: a window from 2^64 - 1 on changed the array's first element")
def unsigned_indices_beyond_the_array(lab):
    ann = lab.client("ann")
    far = (1 << 63, (1 << 64) - 1, 1 << 62, 1000)
    data = programs.floats(1, 2, 3, 4)
    slice_text = """
func.func @main(%x: tensor<4xf32>, %i: tensor<ui64>) -> tensor<2xf32> {
  %r = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<4xf32>, tensor<ui64>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
"""
    update_text = """
func.func @main(%x: tensor<4xf32>, %i: tensor<ui64>) -> tensor<4xf32> {
  %u = stablehlo.constant dense<9.0> : tensor<2xf32>
  %r = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<2xf32>, tensor<ui64>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""
    gather_text = """
func.func @main(%x: tensor<4xf32>, %i: tensor<ui64>) -> tensor<2xf32> {
  %j = stablehlo.reshape %i : (tensor<ui64>) -> tensor<1xui64>
  %r = "stablehlo.gather"(%x, %j) {dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0],
    index_vector_dim = 0>, slice_sizes = array<i64: 2>, indices_are_sorted = false}
    : (tensor<4xf32>, tensor<1xui64>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
"""
    scatter_text = """
func.func @main(%x: tensor<4xf32>, %i: tensor<ui64>) -> tensor<4xf32> {
  %j = stablehlo.reshape %i : (tensor<ui64>) -> tensor<1xui64>
  %u = stablehlo.constant dense<9.0> : tensor<f32>
  %r = "stablehlo.scatter"(%x, %j, %u) ({
   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
    index_vector_dim = 0>, indices_are_sorted = false, unique_indices = false}
    : (tensor<4xf32>, tensor<1xui64>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""
    window_text = """
func.func @main(%x: tensor<4xf32>, %i: tensor<ui64>) -> tensor<4xf32> {
  %j = stablehlo.reshape %i : (tensor<ui64>) -> tensor<1xui64>
  %u = stablehlo.constant dense<9.0> : tensor<2xf32>
  %r = "stablehlo.scatter"(%x, %j, %u) ({
   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0],
    index_vector_dim = 0>, indices_are_sorted = false, unique_indices = false}
    : (tensor<4xf32>, tensor<1xui64>, tensor<2xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""
    wanted = {slice_text: [3, 4], update_text: [1, 2, 9, 9], gather_text: [3, 4], scatter_text: [1, 2, 3, 4],
              window_text: [1, 2, 3, 4]}
    for text, values in wanted.items():
        for index in far:
            reply = ann.run(text, [data, programs.literal("ui64", [], struct.pack("<Q", index))])
            got = programs.values_of(reply.results[0].data)
            expect(got == values, f"index {index}: {got} instead of {values} of {text[:120]}")
    return Outcome(f"{len(wanted) * len(far)} slices, updates, gathers and scatters at ui64 indices up to 2^64 - 1",
                   "what StableHLO says of an index beyond the end, every time")


@attack(CLASS, "held: bounds")
def messages_of_absurd_lengths(lab):
    ann, answers, dice = lab.client("ann"), Answers(), random.Random(2)
    count = 0
    for _ in range(40):
        session = Session(ann)
        with packets.Segments(lab.socket_path) as segments:
            expect(segments.attach(session.token) == 0, "no segment connection")
            channel, boxes = packets.channel_of(segments)
            channel.settimeout(0.1)
            try:
                kind = dice.randrange(4)
                if kind == 0:
                    channel.send(bytes([dice.randrange(2, 256)]) + dice.randbytes(dice.randrange(200)))
                elif kind == 1:
                    packets.send_message(channel, dice.randbytes(dice.randrange(1, 200_000)))
                elif kind == 2:
                    for _ in range(3):
                        channel.send(b"\1")
                    channel.send(b"\0")
                else:
                    channel.send(b"")
                answers["answered" if channel.recv(1 << 16) else "ended"] += 1
            except TimeoutError:
                answers["waited for more"] += 1
            except OSError:
                answers["ended"] += 1
            finally:
                channel.close()
                os.close(boxes)
        count += 1
        session.close()
        expect(lab.is_alive(), "the daemon has ended")
    return Outcome(f"{count} channels with packets and messages that are none", str(answers))
