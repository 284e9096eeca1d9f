"""Programs that are small as they are sent and without end as they are read (CWE-674, CWE-776, CWE-789)."""

import random

import grpc

import programs
from attacks import Answers, Outcome, attack, expect
from protocol import ROOT, program_pb2

CLASS = "parser recursion and expansion"
BEFORE_ALIASES = "memory without limit, the daemon ends"
# A program that is refused is refused in this time, and takes no more than that.
REFUSAL_BYTES = 1 << 30


def _identity(body=""):
    return programs.main("tensor<2xf32>", f"{body}\n  return %x : tensor<2xf32>", "tensor<2xf32>")


def _try_all(lab, texts):
    """Runs every program; none may succeed with a wrong result or take more memory than is charged."""
    ann, answers = lab.client("ann"), Answers()
    before = lab.resident_bytes()
    for text in texts:
        code, message = ann.status_of_run(text, [programs.floats(1, 2)])
        expect(lab.is_alive(), f"the daemon has ended on {text[:80]!r}")
        expect(code in ("OK", "INVALID_ARGUMENT", "RESOURCE_EXHAUSTED", "UNIMPLEMENTED"),
               f"{code} {message[:200]} for {text[:80]!r}")
        expect(lab.resident_bytes() < before + REFUSAL_BYTES, "a program took more than a gigabyte to be read")
        answers[code] += 1
    return answers


@attack(CLASS, BEFORE_ALIASES)
def attribute_aliases_that_double(lab):
    def bomb(levels, inner, use):
        lines = [f"#a0 = {inner}"] + [f"#a{i} = [#a{i - 1}, #a{i - 1}]" for i in range(1, levels)]
        return "\n".join(lines) + "\n" + _identity(
            f'  %y = "stablehlo.add"(%x, %x) {{{use} = #a{levels - 1}}} : (tensor<2xf32>, tensor<2xf32>) -> '
            "tensor<2xf32>")
    texts = [bomb(60, inner, use) for inner in ("1", '"text"', "dense<1> : tensor<4xi64>", "{a = 1}", "unit")
             for use in ("a", "mhlo.sharding")]
    dictionaries = ["#d0 = {a = 1}"] + [f"#d{i} = {{a = #d{i - 1}, b = #d{i - 1}}}" for i in range(1, 60)]
    texts.append("\n".join(dictionaries) + "\n" + _identity(
        '  %y = "stablehlo.add"(%x, %x) {a = #d59} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>'))
    locations = ['#loc0 = loc("a")'] + [f"#loc{i} = loc(fused[#loc{i - 1}, #loc{i - 1}])" for i in range(1, 60)]
    texts.append("\n".join(locations) + "\n" + _identity(
        "  %y = stablehlo.add %x, %x : tensor<2xf32> loc(#loc59)"))
    return Outcome(f"{len(texts)} texts of 60 aliases that each name the one before twice", str(_try_all(lab, texts)))


@attack(CLASS, BEFORE_ALIASES)
def type_aliases_that_double(lab):
    texts = []
    for inner in ("tensor<2xf32>", "tensor<?x?xcomplex<f64>>", "!stablehlo.token"):
        lines = [f"!t0 = {inner}"] + [f"!t{i} = tuple<!t{i - 1}, !t{i - 1}>" for i in range(1, 60)]
        texts.append("\n".join(lines) + f"\nfunc.func @main(%x: !t59) -> !t59 {{\n  return %x : !t59\n}}\n")
        texts.append("\n".join(lines) + "\n" + _identity(
            '  %y = "stablehlo.tuple"(%x) {a = !t59} : (tensor<2xf32>) -> !t59'))
    lines = ["!t0 = tensor<2xf32>"] + [f"!t{i} = (!t{i - 1}, !t{i - 1}) -> (!t{i - 1}, !t{i - 1})"
                                       for i in range(1, 60)]
    texts.append("\n".join(lines) + "\n" + _identity(
        '  %y = "stablehlo.add"(%x, %x) {a = !t59} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>'))
    return Outcome(f"{len(texts)} texts of 60 aliases of tuples and functions", str(_try_all(lab, texts)))


@attack(CLASS, "held: bounds")
def deep_nesting(lab):
    texts = []
    for depth in (100, 10_000, 300_000):
        texts += [
            _identity(f'  %y = "stablehlo.add"(%x, %x) {{a = {"[" * depth}1{"]" * depth}}} : '
                      "(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"),
            _identity(f'  %y = "stablehlo.add"(%x, %x) {{a = {"{a = " * depth}1{"}" * depth}}} : '
                      "(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"),
            f'func.func @main(%x: {"tuple<" * depth}f32{">" * depth}) {{\n}}\n',
            _identity("  %y = stablehlo.add %x, %x : tensor<2xf32> loc(" + "fused[" * depth + '"a"' + "]" * depth
                      + ")"),
            _identity('  "stablehlo.case"(%x) ({\n' * depth + "  }) : (tensor<2xf32>) -> ()\n" * depth),
            _identity(f'  %c = stablehlo.constant dense<{"[" * depth}1.0{"]" * depth}> : tensor<1xf32>'),
            "module {\n" * depth + "}\n" * depth,
            "(" * depth,
        ]
    answers = _try_all(lab, texts)
    expect(answers["OK"] == 0, f"nesting of 100 and more was taken: {answers}")
    return Outcome(f"{len(texts)} texts nested 100 to 300,000 deep", str(answers))


@attack(CLASS, "these held: what constants are built of was bounded by their types, not charged")
def constants_larger_than_their_text(lab):
    texts = []
    for shape in ("1099511627776", "65536x65536", "1073741824x16", "4611686018427387904x4"):
        texts += [_identity(f"  %c = stablehlo.constant dense<1.0> : tensor<{shape}xf32>"),
                  _identity(f"  %c = stablehlo.constant dense<1.0> : tensor<{shape}xf32>\n"
                            f"  %d = stablehlo.add %c, %c : tensor<{shape}xf32>\n"
                            f"  %e = stablehlo.transpose %d, dims = [{'0, ' if 'x' in shape else ''}"
                            f"{shape.count('x')}] : (tensor<{shape}xf32>) -> tensor<{shape}xf32>"),
                  _identity(f'  %c = stablehlo.constant dense<"0x00"> : tensor<{shape}xi4>'),
                  _identity(f"  %c = stablehlo.iota dim = 0 : tensor<{shape}xi64>"),
                  _identity(f'  %y = "stablehlo.add"(%x, %x) {{a = array<i64: {", ".join("1" * 10)}>, '
                            f"b = dense<0> : tensor<{shape}xi2>}} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>")]
    for digits in ("", "0", "00", "0000803F", "0000803F0000803F00", "zz", "0" * 9):
        texts.append(_identity(f'  %c = stablehlo.constant dense<"0x{digits}"> : tensor<2xf32>'))
        texts.append(_identity(f'  %c = stablehlo.constant dense<"0x{digits}"> : tensor<3xi4>'))
        texts.append(_identity(f'  %c = stablehlo.constant dense<"0x{digits}"> : tensor<9xi1>'))
    return Outcome(f"{len(texts)} splats, hexadecimal and sub-byte constants", str(_try_all(lab, texts)))


@attack(CLASS, "held: 84,000 mutated artifacts")
def mutated_bytecode(lab):
    dice = random.Random(28)
    artifacts = [path.read_bytes() for path in sorted((ROOT / "tests/programs/bytecode").glob("*.bc"))]
    ann, answers = lab.client("ann"), Answers()
    before, count = lab.resident_bytes(), 400
    for _ in range(count):
        data = bytearray(dice.choice(artifacts))
        for _ in range(dice.randint(1, 6)):
            at = dice.randrange(len(data))
            kind = dice.randrange(4)
            if kind == 0:
                data[at] = dice.randrange(256)
            elif kind == 1:
                # A number of nine bytes, as large as can be.
                data[at:at + 1] = b"\x00" + b"\xff" * 8
            elif kind == 2:
                data[at:at] = data[at:at + dice.randint(1, 64)] * dice.randint(1, 20)
            else:
                del data[at:at + dice.randint(1, 8)]
            if not data:
                data = bytearray(b"ML\xefR")
        answers[ann.status_of_run(bytes(data), [programs.floats(1, 2)], timeout_s=10)[0]] += 1
        expect(lab.is_alive(), "the daemon has ended")
    expect(answers["DEADLINE_EXCEEDED"] == 0, f"artifacts that were not judged in ten seconds: {answers}")
    expect(lab.resident_bytes() < before + REFUSAL_BYTES, "reading artifacts took more than a gigabyte")
    return Outcome(f"{count} artifacts with bytes changed, numbers blown up, sections repeated", str(answers))


def _module(dims=(2,), splat=None, depth=0):
    module = program_pb2.Module()
    function = module.functions.add(name="main", is_public=True)
    for _ in range(2):
        kind = function.value_types.add()
        kind.tensor.dtype = "f32"
        kind.tensor.dims.extend(dims)
    function.body.parameters.append(0)
    op = function.body.ops.add(name="stablehlo.add", operands=[0, 0], results=[1])
    if splat is not None:
        value = op.attributes["value"].literal
        value.type.dtype = "f32"
        value.type.dims.extend(dims)
        value.data = splat
    place = op
    for _ in range(depth):
        place = place.regions.add().ops.add(name="stablehlo.case")
    function.body.results.append(1)
    return module


@attack(CLASS, "these held; the wire form had no budget of its own")
def wire_form_bombs(lab):
    ann, answers = lab.client("ann"), Answers()
    before = lab.resident_bytes()
    modules = [_module(dims=dims, splat=splat) for dims in ((1 << 40,), (1 << 62, 4), (-5,), (0,) * 200)
               for splat in (None, b"", b"\0\0\0\0", b"123")]
    modules += [_module(depth=depth) for depth in (20, 60, 90)]
    for ids in ((0, 0, 1 << 31), (9, 9, 9), (1, 1, 0), (1, 1, 1)):
        module = _module()
        op = module.functions[0].body.ops[0]
        op.operands[:], op.results[:] = ids[:2], ids[2:]
        modules.append(module)
    module = _module()
    for _ in range(20_000):
        module.functions[0].body.ops[0].attributes["a"].array.elements.add().dense_array.values.extend([1] * 8)
    modules.append(module)
    module = _module()
    for _ in range(300_000):
        module.functions[0].value_types.add().tuple.SetInParent()
    modules.append(module)
    for module in modules:
        try:
            answers[ann.status_of_run(module, [programs.floats(1, 2)])[0]] += 1
        except (ValueError, grpc.RpcError) as error:  # What this side's own library does not send.
            answers[type(error).__name__] += 1
        expect(lab.is_alive(), "the daemon has ended")
    expect(lab.resident_bytes() < before + REFUSAL_BYTES, "reading modules took more than a gigabyte")
    # Groups within groups, and lengths that lead nowhere, by hand.
    for message in (b"\x0b" * 100_000, b"\x0a\xff\xff\xff\xff\x0f", b"\x0a\x06\x12\xff\xff\xff\xff\x07",
                    b"\x0a" * 100_000, b"\xff" * 100):
        answers[ann.call_with_bytes("Run", message)] += 1
        answers[ann.call_with_bytes("Channel", message)] += 1
        answers[ann.call_with_bytes("Upload", message)] += 1
    return Outcome(f"{len(modules)} modules of absurd types, numbers and depths, and 15 messages that are none",
                   str(answers))


@attack(CLASS, "a tree of 2^200 was compiled and never ended, cancelled or not")
def call_tree_without_end(lab):
    ann = lab.client("ann")
    answers = Answers()
    for depth in (90, 200, 1000):
        code, message = ann.status_of_run(programs.call_tree(depth), [programs.zeros(8)])
        expect(code in ("INVALID_ARGUMENT", "RESOURCE_EXHAUSTED"), f"a call tree of 2^{depth}: {code} {message[:200]}")
        answers[code] += 1
    return Outcome("call trees of 2^90, 2^200 and 2^1000 calls", f"{answers}, when they were compiled")
