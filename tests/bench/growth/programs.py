"""Families of programs of any size, as StableHLO text, for growth.py."""

from collections.abc import Callable, Iterable

TYPE = "tensor<8xf32>"
SCALAR = "tensor<f32>"


def function(arguments: Iterable[str], body: Iterable[str], results: list[str], name: str = "@main",
             result_type: str = TYPE) -> str:
    """The text of a function. `arguments` are declarations, `body` whole lines, `results` names of values."""
    types = ", ".join([result_type] * len(results))
    visibility = "public" if name == "@main" else "private"
    return (f"func.func {visibility} {name}({', '.join(arguments)}) -> ({types}) {{\n"
            + "".join(f"  {line}\n" for line in body)
            + f"  return {', '.join(results)} : {types}\n}}\n")


def declared(count: int, attributes: Callable[[int], str] = lambda _: "") -> list[str]:
    """Declarations of `count` arguments."""
    return [f"%a{i}: {TYPE}{attributes(i)}" for i in range(count)]


def add(result: str, left: str, right: str) -> str:
    return f"{result} = stablehlo.add {left}, {right} : {TYPE}"


def unused_arguments(size: int) -> str:
    return function(declared(size), [add("%r", "%a0", "%a1")], ["%r"])


def summed_arguments(size: int) -> str:
    body = [add(f"%s{i}", f"%s{i - 1}" if i > 1 else "%a0", f"%a{i}") for i in range(1, size)]
    return function(declared(size), body, [f"%s{size - 1}"])


def updated_arguments(size: int) -> str:
    return function(declared(size), [add(f"%r{i}", f"%a{i}", f"%a{i}") for i in range(size)],
                    [f"%r{i}" for i in range(size)])


def returned_arguments(size: int) -> str:
    return function(declared(size), [], [f"%a{i}" for i in range(size)])


def donated_arguments(size: int) -> str:
    return function(declared(size, lambda i: f" {{tf.aliasing_output = {i} : i32}}"),
                    [add(f"%r{i}", f"%a{i}", f"%a{i}") for i in range(size)],
                    [f"%r{i}" for i in range(size)])


def chain(size: int) -> str:
    """Elementwise ops, of which each reads the one before."""
    ops = ["add", "multiply", "subtract"]
    body = [f"%s{i} = stablehlo.{ops[i % 3]} {f'%s{i - 1}' if i > 0 else '%a0'}, %a{i % 2} : {TYPE}"
            for i in range(size)]
    return function(declared(2), body, [f"%s{size - 1}"])


def products(size: int) -> str:
    """Products of matrices, of which each reads the one before."""
    square = "tensor<8x8xf32>"
    body = [f"%s{i} = stablehlo.dot_general {f'%s{i - 1}' if i > 0 else '%a'}, %a, contracting_dims = [1] x [0] "
            f": ({square}, {square}) -> {square}" for i in range(size)]
    return function([f"%a: {square}"], body, [f"%s{size - 1}"], result_type=square)


def reductions(size: int) -> str:
    """Sums over all elements, of which each is added to the elements of the next."""
    body = [f"%zero = stablehlo.constant dense<0.0> : {SCALAR}"]
    for i in range(size // 3):
        before = f"%s{i - 1}" if i > 0 else "%a0"
        body += [f"%r{i} = stablehlo.reduce({before} init: %zero) applies stablehlo.add across dimensions = [0] "
                 f": ({TYPE}, {SCALAR}) -> {SCALAR}",
                 f"%b{i} = stablehlo.broadcast_in_dim %r{i}, dims = [] : ({SCALAR}) -> {TYPE}",
                 add(f"%s{i}", "%a0", f"%b{i}")]
    return function(declared(1), body, [f"%s{size // 3 - 1}"])


def wide(size: int) -> str:
    """Independent ops, summed in pairs, pairs of pairs, and so on: the values that live at a time are many."""
    body = [f"%w{i} = stablehlo.slice %a0 [{i % 4}:{i % 4 + 4}] : ({TYPE}) -> tensor<4xf32>" for i in range(4)]
    level = []
    for i in range(size // 2):
        body.append(f"%l0_{i} = stablehlo.add %w{i % 4}, %w{i * 7 // 5 % 4} : tensor<4xf32>")
        level.append(f"%l0_{i}")
    depth = 0
    while len(level) > 1:
        depth += 1
        following = []
        for i in range(0, len(level) - 1, 2):
            name = f"%l{depth}_{i}"
            body.append(f"{name} = stablehlo.{'multiply' if depth % 2 else 'add'} {level[i]}, {level[i + 1]} "
                        ": tensor<4xf32>")
            following.append(name)
        level = following + level[len(level) - len(level) % 2:]
    return function(declared(1), body, level, result_type="tensor<4xf32>")


def results(size: int) -> str:
    """Results that differ, of one argument."""
    body = []
    for i in range(size):
        body += [f"%c{i} = stablehlo.constant dense<{i}.5> : {TYPE}", add(f"%r{i}", "%a0", f"%c{i}")]
    return function(declared(1), body, [f"%r{i}" for i in range(size)])


def constants(size: int) -> str:
    """Constants that differ in each element, of which each is added to the one before."""
    body = []
    for i in range(size):
        elements = ", ".join(f"{i}.{digit}" for digit in range(1, 9))
        body += [f"%c{i} = stablehlo.constant dense<[{elements}]> : {TYPE}",
                 add(f"%s{i}", f"%s{i - 1}" if i > 0 else "%a0", f"%c{i}")]
    return function(declared(1), body, [f"%s{size - 1}"])


def functions(size: int) -> str:
    """Functions that differ, each called once."""
    body = [f"%s{i} = call @f{i}({f'%s{i - 1}' if i > 0 else '%a0'}) : ({TYPE}) -> {TYPE}" for i in range(size)]
    text = function(declared(1), body, [f"%s{size - 1}"])
    for i in range(size):
        lines = [f"%c = stablehlo.constant dense<{i}.5> : {TYPE}", add("%r", "%a0", "%c")]
        text += function(declared(1), lines, ["%r"], name=f"@f{i}")
    return text


def calls(size: int) -> str:
    """Calls of one function."""
    body = [f"%s{i} = call @f({f'%s{i - 1}' if i > 0 else '%a0'}) : ({TYPE}) -> {TYPE}" for i in range(size)]
    return (function(declared(1), body, [f"%s{size - 1}"])
            + function(declared(1), [f"%r = stablehlo.sine %a0 : {TYPE}"], ["%r"], name="@f"))


def loop(number: int, carried: str) -> list[str]:
    """A loop of ten iterations."""
    return [f"%w{number}:2 = stablehlo.while(%i = %zero, %x = {carried}) : tensor<i32>, {TYPE}",
            "cond {",
            "  %c = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>",
            "  stablehlo.return %c : tensor<i1>",
            "} do {",
            "  %n = stablehlo.add %i, %one : tensor<i32>",
            f"  %y = stablehlo.sine %x : {TYPE}",
            f"  stablehlo.return %n, %y : tensor<i32>, {TYPE}",
            "}"]


COUNTERS = [f"%{name} = stablehlo.constant dense<{value}> : tensor<i32>"
            for name, value in (("zero", 0), ("one", 1), ("ten", 100))]


def loops(size: int) -> str:
    """Loops, one after the other."""
    body = list(COUNTERS)
    for i in range(size):
        body += loop(i, f"%w{i - 1}#1" if i > 0 else "%a0")
    return function(declared(1), body, [f"%w{size - 1}#1"])


def branches(size: int) -> str:
    """Conditionals, one after the other."""
    body = []
    for i in range(size):
        before = f"%s{i - 1}" if i > 0 else "%a0"
        body += [f'%s{i} = "stablehlo.if"(%p) ({{',
                 f"  %y = stablehlo.sine {before} : {TYPE}",
                 f"  stablehlo.return %y : {TYPE}",
                 "}, {",
                 f"  stablehlo.return {before} : {TYPE}",
                 f"}}) : (tensor<i1>) -> {TYPE}"]
    return function(["%p: tensor<i1>", f"%a0: {TYPE}"], body, [f"%s{size - 1}"])


def case(size: int) -> str:
    """One conditional of many branches."""
    regions = []
    for i in range(size):
        regions.append(f"{{\n  %c = stablehlo.constant dense<{i}.5> : {TYPE}\n"
                       f"  %y = stablehlo.add %a0, %c : {TYPE}\n  stablehlo.return %y : {TYPE}\n}}")
    body = ['%r = "stablehlo.case"(%p) (' + ", ".join(regions) + f") : (tensor<i32>) -> {TYPE}"]
    return function(["%p: tensor<i32>", f"%a0: {TYPE}"], body, ["%r"])


def concatenated(size: int) -> str:
    """One concatenation of pieces that are computed."""
    scalar = "tensor<1xf32>"
    body = ["%s = stablehlo.slice %a0 [0:1] : (tensor<8xf32>) -> tensor<1xf32>"]
    for i in range(size):
        body += [f"%c{i} = stablehlo.constant dense<{i}.5> : {scalar}", f"%p{i} = stablehlo.add %s, %c{i} : {scalar}"]
    pieces = ", ".join(f"%p{i}" for i in range(size))
    result = f"tensor<{size}xf32>"
    body.append(f"%r = stablehlo.concatenate {pieces}, dim = 0 : ({', '.join([scalar] * size)}) -> {result}")
    return function(declared(1), body, ["%r"], result_type=result)


def concatenated_arguments(size: int) -> str:
    """One concatenation of arguments."""
    result = f"tensor<{size * 8}xf32>"
    pieces = ", ".join(f"%a{i}" for i in range(size))
    body = [f"%r = stablehlo.concatenate {pieces}, dim = 0 : ({', '.join([TYPE] * size)}) -> {result}"]
    return function(declared(size), body, ["%r"], result_type=result)


def carried(size: int) -> str:
    """One loop that carries many values."""
    bound = ", ".join(f"%x{i} = %a{i}" for i in range(size))
    types = ", ".join(["tensor<i32>"] + [TYPE] * size)
    body = list(COUNTERS)
    body += [f"%w:{size + 1} = stablehlo.while(%i = %zero, {bound}) : {types}",
             "cond {",
             "  %c = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>",
             "  stablehlo.return %c : tensor<i1>",
             "} do {",
             "  %n = stablehlo.add %i, %one : tensor<i32>",
             *[f"  %y{i} = stablehlo.sine %x{i} : {TYPE}" for i in range(size)],
             f"  stablehlo.return %n, {', '.join(f'%y{i}' for i in range(size))} : {types}",
             "}"]
    return function(declared(size), body, [f"%w#{i + 1}" for i in range(size)])


def sorted_together(size: int) -> str:
    """One sort of many operands by the first."""
    names = ", ".join(f"%a{i}" for i in range(size))
    parameters = ", ".join(f"%l{i}: {SCALAR}, %r{i}: {SCALAR}" for i in range(size))
    types = ", ".join([TYPE] * size)
    body = [f'%s:{size} = "stablehlo.sort"({names}) ({{', f"^bb0({parameters}):",
            f"  %c = stablehlo.compare LT, %l0, %r0 : ({SCALAR}, {SCALAR}) -> tensor<i1>",
            "  stablehlo.return %c : tensor<i1>",
            f"}}) {{dimension = 0 : i64}} : ({types}) -> ({types})"]
    return function(declared(size), body, [f"%s#{i}" for i in range(size)])


# Each family, and the largest size that it is measured at.
FAMILIES: dict[str, tuple[Callable[[int], str], int]] = {
    "unused_arguments": (unused_arguments, 10_000),
    "summed_arguments": (summed_arguments, 10_000),
    "updated_arguments": (updated_arguments, 10_000),
    "returned_arguments": (returned_arguments, 10_000),
    "donated_arguments": (donated_arguments, 10_000),
    "concatenated_arguments": (concatenated_arguments, 10_000),
    "chain": (chain, 100_000),
    "products": (products, 100_000),
    "reductions": (reductions, 100_000),
    "wide": (wide, 100_000),
    "results": (results, 10_000),
    "constants": (constants, 10_000),
    "functions": (functions, 10_000),
    "calls": (calls, 100_000),
    "loops": (loops, 10_000),
    "branches": (branches, 10_000),
    "case": (case, 10_000),
    "concatenated": (concatenated, 10_000),
    "carried": (carried, 10_000),
    "sorted_together": (sorted_together, 1_000),
}
