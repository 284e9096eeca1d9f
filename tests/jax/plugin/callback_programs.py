"""Draws the sources of random JAX programs that call the host, in control flow and under transformations of JAX."""

import dataclasses
from typing import NamedTuple

import callback_helpers
import jax.numpy as jnp
import numpy as np

SHAPES = [(), (), (1,), (3,), (4,), (2, 3), (3, 2), (0,), (0, 3), (2, 1, 2)]
DTYPES = ["bool", "int8", "uint8", "int16", "int32", "uint32", "float16", "bfloat16", "float32", "float32", "complex64"]
WIDE_DTYPES = ["int64", "uint64", "float64", "complex128"]
VMAP_METHODS = ["sequential", "sequential_unrolled", "expand_dims", "broadcast_all"]


class Value(NamedTuple):
    name: str
    shape: tuple[int, ...]
    dtype: str

    def is_float(self):
        return jnp.issubdtype(callback_helpers.dtype_named(self.dtype), jnp.floating)

    def as_(self, shape, dtype):
        return self.name if (shape, dtype) == self[1:] else f"like({self.name}, {shape}, '{dtype}')"


@dataclasses.dataclass
class Function:
    name: str
    parameters: list[Value]
    body: list["Statement"]
    returned: str = ""


@dataclasses.dataclass
class Statement:
    """Some lines of a program. A reduced program has zeros for the results of a statement that it goes without."""
    number: int
    results: list[Value]
    functions: list[Function]
    text: str

    def lines(self, skipped):
        if self.number in skipped:
            return [f"{value.name} = jnp.zeros({value.shape}, '{value.dtype}')" for value in self.results]
        names = ", ".join(value.name for value in self.results)
        call = f"{names} = {self.text}" if names else self.text
        return [line for function in self.functions for line in function_lines(function, skipped)] + [call]


def function_lines(function, skipped):
    body = [line for statement in function.body for line in statement.lines(skipped)]
    return [f"def {function.name}({', '.join(value.name for value in function.parameters)}):",
            *("    " + line for line in [*body, f"return {function.returned}"])]


class Program(NamedTuple):
    """The arguments are a flag, which is the number of the callback that shall raise an exception, and arrays."""
    function: Function
    raising: list[tuple[int, str]]  # callbacks by number and kind
    statements: int
    is_jitted: bool
    is_wide: bool  # with 64-bit types

    def source(self, skipped=frozenset()):
        return "\n".join(function_lines(self.function, skipped)) + "\n"

    def callable(self, skipped=frozenset()):
        names = callback_helpers.namespace()
        exec(self.source(skipped), names)
        return names[self.function.name]

    def arguments(self, seed):
        random = np.random.default_rng(seed)
        return [_drawn_array(random, *value[1:]) for value in self.function.parameters[1:]]


def _drawn_array(random, shape, dtype):
    integers = random.integers(0, 100, shape)
    if dtype == "bool":
        return integers % 2 == 0
    values = integers if "int" in dtype else (integers % 65 - 32) / 8
    if dtype.startswith("complex"):
        values = values + 0.5j
    return np.asarray(values).astype(callback_helpers.dtype_named(dtype))


class Context(NamedTuple):
    depth: int = 0
    ordered: bool = True  # callbacks, which vmap does not have
    io: bool = True  # which control flow within vmap does not have
    effects: bool = True  # other callbacks than pure ones
    differentiated: bool = False


class Drawer:
    def __init__(self, random, dtypes):
        self.random, self.dtypes = random, dtypes
        self.numbers = 0
        self.raising = []

    def one_of(self, items):
        return items[self.random.integers(len(items))]

    def chance(self, probability):
        return self.random.random() < probability

    def number(self):
        self.numbers += 1
        return self.numbers

    def type(self):
        return self.one_of(SHAPES), self.one_of(self.dtypes)

    def block(self, values, context, length):
        """Statements that use these values, to which they add their results."""
        statements = []
        for _ in range(length):
            kinds = [self.operation] * 3 + [self.pure]
            if context.effects:
                kinds += [self.debug] + [self.effect] * context.io
            if context.depth < 2:
                kinds += [self.cond, self.switch, self.fori, self.scan, self.nested, self.batch, self.slope]
                if not context.differentiated:
                    kinds += [self.while_]
            statement = self.one_of(kinds)(values, context)
            if statement is not None:
                statements.append(statement)
                values.extend(statement.results)
        return statements

    def statement(self, number, types, functions, text):
        names = [f"v{number}"] if len(types) == 1 else [f"v{number}_{i}" for i in range(len(types))]
        return Statement(number, [Value(name, *one) for name, one in zip(names, types)], functions, text)

    def controlled(self, values, context, parameter_types, result_types):
        """A function that control flow calls."""
        return self.function(values, context._replace(io=context.ordered), parameter_types, result_types)

    def function(self, values, context, parameter_types, result_types):
        """A function of such parameters, which may use all the values from without, too."""
        number = self.number()
        parameters = [Value(f"p{number}_{i}", *one) for i, one in enumerate(parameter_types)]
        inner = [*values, *parameters, *parameters]
        body = self.block(inner, context._replace(depth=context.depth + 1), self.random.integers(1, 4 - context.depth))
        recent = inner[len(values):]
        results = [self.one_of(recent[-3:] or inner).as_(*one) for one in result_types]
        returned = results[0] if len(results) == 1 else f"({', '.join(results)})"
        return Function(f"f{number}", parameters, body, returned)

    def operation(self, values, context):
        a, b = self.one_of(values), self.one_of(values)
        other = b.as_(a.shape, a.dtype)
        kind = self.random.integers(10)
        if kind == 0:
            shape, dtype = a.shape, self.one_of(self.dtypes)
            text = f"cast({a.name}, '{dtype}')"
        elif kind == 1:
            text, shape, dtype = f"cast({a.name}, 'int32') > cast({other}, 'int32')", a.shape, "bool"
        elif kind == 2 and a.shape:
            text, shape, dtype = f"tidy(cast({a.name}.sum(-1), '{a.dtype}'))", a.shape[:-1], a.dtype
        elif kind == 3 and a.shape and a.shape[-1] and not a.dtype.startswith("complex"):
            text, shape, dtype = f"{a.name}.max(-1)", a.shape[:-1], a.dtype
        elif kind == 4:
            shape, dtype = self.type()
            text = f"like({a.name}, {shape}, '{dtype}')"
        elif kind == 5 and a.shape:
            text, shape, dtype = f"jnp.flip({a.name}).T", a.shape[::-1], a.dtype
        else:
            shape, dtype = a.shape, a.dtype
            if dtype == "bool":
                form = self.one_of(["{a} ^ {b}", "~{a} & {b}", "{a} | {b}"])
            elif "int" in dtype:
                form = self.one_of(["{a} + {b}", "{a} * 3 - {b}", "{a} ^ {b}", "jnp.minimum({a}, {b})"])
            elif dtype.startswith("complex"):
                form = self.one_of(["tidy({a} + jnp.conj({b}))", "tidy({a} * 0.5)"])
            else:
                form = self.one_of(["tidy(jnp.sin({a}))", "tidy({a} * 0.5 + {b})", "jnp.maximum({a}, {b})",
                                    "tidy({a} * {b})", "jnp.where(even({b}), {a}, 1)"])
            text = form.format(a=a.name, b=other)
        return self.statement(self.number(), [(shape, dtype)], [], text)

    def callback(self, kind):
        number = self.number()
        self.raising.append((number, kind))
        return number

    def held(self, context, text):
        """Not to be differentiated."""
        return f"lax.stop_gradient({text})" if context.differentiated else text

    def pure(self, values, context):
        number, method, a = self.number(), self.one_of(VMAP_METHODS), self.one_of(values)
        statement = self.pure_call(number, method, a, values, context)
        # Such calls may be left out where nobody needs the results; those of the outermost block are the program's.
        is_needed = context.depth == 0 and any(0 not in value.shape for value in statement.results)
        self.raising.append((number, "pure" if is_needed else "dispensable"))
        return statement

    def pure_call(self, number, method, a, values, context):
        if context.differentiated and a.is_float() and self.chance(0.7):
            return self.statement(number, [a[1:]], [], f"smooth({number}, '{method}')(flag, {a.name})")
        operands = [self.held(context, a.name)]
        dtype = self.one_of(self.dtypes)
        form = self.random.integers(4)
        if form == 0 and a.shape:
            types, function = [(a.shape[:-1], dtype)], f"folding({number}, 'pure', '{dtype}')"
        elif form == 1:
            operands += [self.held(context, self.one_of(values).as_(*a[1:])) for _ in range(self.random.integers(3))]
            types, function = [(a.shape, dtype)], f"elementwise({number}, 'pure', '{dtype}')"
        else:
            operands = [self.held(context, self.one_of(values).name) for _ in range(self.random.integers(4))]
            types = [self.type() for _ in range(self.random.integers(1, 3))]
            function = _mixing(number, "pure", types)
            method = self.one_of(VMAP_METHODS[:2])
        given = ", ".join([_structs(types), "flag", *operands])
        text = f"jax.pure_callback({function}, {given}, vmap_method='{method}')"
        return self.statement(number, types, [], text)

    def effect(self, values, context):
        ordered = context.ordered and self.chance(0.6)
        kind = "ordered io" if ordered else "io"
        number = self.callback(kind)
        operands = [self.held(context, self.one_of(values).name) for _ in range(self.random.integers(3))]
        types = [self.type() for _ in range(self.random.integers(3))]
        function = _mixing(number, kind, types) if types else f"recording({number}, '{kind}')"
        text = f"io_callback({function}, {_structs(types)}, {', '.join(['flag', *operands])}, ordered={ordered})"
        return self.statement(number, types, [], text)

    def debug(self, values, context):
        ordered = context.ordered and self.chance(0.6)
        kind = "ordered debug" if ordered else "debug"
        number = self.callback(kind)
        operands = ["flag", *(self.one_of(values).name for _ in range(self.random.integers(3)))]
        text = f"jax.debug.callback(recording({number}, '{kind}'), {', '.join(operands)}, ordered={ordered})"
        return self.statement(number, [], [], text)

    def cond(self, values, context):
        return self.branches(values, context, 2)

    def switch(self, values, context):
        return self.branches(values, context, 3)

    def branches(self, values, context, count):
        chooser, operand, result = self.one_of(values), self.one_of(values), self.type()
        functions = [self.controlled(values, context, [operand[1:]], [result]) for _ in range(count)]
        names = ", ".join(function.name for function in functions)
        if count == 2:
            text = f"lax.cond(even({chooser.name}), {names}, {operand.name})"
        else:
            text = f"lax.switch(below({chooser.name}, {count}), [{names}], {operand.name})"
        return self.statement(self.number(), [result], functions, text)

    def carried(self, values):
        """Values that a loop carries."""
        return [self.one_of(values) for _ in range(self.random.integers(1, 3))]

    def fori(self, values, context):
        carried = self.carried(values)
        types = [value[1:] for value in carried]
        function = self.controlled(values, context, [((), "int32"), *types], types)
        if not context.differentiated and self.chance(0.5):
            count = f"below({self.one_of(values).name}, 4)"
        else:
            count = str(self.random.integers(4))
        call = f"{function.name}(jnp.int32(i), {'c' if len(types) == 1 else '*c'})"
        text = f"lax.fori_loop(0, {count}, lambda i, c: {call}, {_tuple(carried)})"
        return self.statement(self.number(), types, [function], text)

    def while_(self, values, context):
        carried = self.carried(values)
        types = [value[1:] for value in carried]
        body = self.controlled(values, context, types, types)
        parameters = [((), "int32"), *types]
        # Its condition calls the host, too, but XLA's CPU compiler may drop what has an effect there.
        condition = self.controlled(values, context._replace(effects=False), parameters, [((), "bool")])
        limit = self.random.integers(4)
        names = ["c[0]"] if len(types) == 1 else ["*c[0]"]
        carry = f"({body.name}({names[0]}), c[1] + 1)"
        text = (f"lax.while_loop(lambda c: {condition.name}(c[1], {names[0]}) & (c[1] < {limit}), "
                f"lambda c: {carry}, ({_tuple(carried)}, jnp.int32(0)))[0]")
        return self.statement(self.number(), types, [body, condition], text)

    def scan(self, values, context):
        stacked = [value for value in values if value.shape]
        if not stacked:
            return None
        carry, xs, result = self.one_of(values), self.one_of(stacked), self.type()
        function = self.function(values, context, [carry[1:], (xs.shape[1:], xs.dtype)], [carry[1:], result])
        options = self.one_of(["", ", reverse=True", ", unroll=2"])
        types = [carry[1:], ((xs.shape[0], *result[0]), result[1])]
        text = f"lax.scan({function.name}, {carry.name}, {xs.name}{options})"
        return self.statement(self.number(), types, [function], text)

    def nested(self, values, context):
        operand = self.one_of(values)
        # XLA's CPU compiler aborts at some ordered callbacks of functions that branches call.
        context = context._replace(ordered=context.ordered and context.depth == 0)
        function = self.function(values, context, [operand[1:]], [operand[1:]])
        text = f"jax.jit({function.name})({operand.name})"
        if self.chance(0.4):
            # One function that a program calls twice.
            text = f"(lambda f: f(f({operand.name})))(jax.jit({function.name}))"
        elif self.chance(0.3):
            text = f"jax.checkpoint({function.name})({operand.name})"
        return self.statement(self.number(), [operand[1:]], [function], text)

    def batch(self, values, context):
        stacked = [value for value in values if value.shape]
        if not stacked:
            return None
        xs, other, result = self.one_of(stacked), self.one_of(values), self.type()
        context = context._replace(ordered=False)
        function = self.function(values, context, [(xs.shape[1:], xs.dtype), other[1:]], [result])
        text = f"jax.vmap({function.name}, (0, None))({xs.name}, {other.name})"
        return self.statement(self.number(), [((xs.shape[0], *result[0]), result[1])], [function], text)

    def slope(self, values, context):
        floats = [value for value in values if value.is_float()]
        if not floats:
            return None
        x = self.one_of(floats)
        # JAX has no derivative of a derivative that the host computes.
        if context.differentiated:
            return None
        function = self.function(values, context._replace(differentiated=True), [x[1:]], [(x.shape, "float32")])
        return self.statement(self.number(), [x[1:]], [function], f"gradient({function.name}, {x.name})")


def _mixing(number, kind, types):
    return f"mixing({number}, '{kind}', {', '.join(map(str, types))})"


def _structs(types):
    structs = [f"struct({shape}, '{dtype}')" for shape, dtype in types]
    return "None" if not structs else structs[0] if len(structs) == 1 else f"({', '.join(structs)})"


def _tuple(values):
    names = ", ".join(value.name for value in values)
    return names if len(values) == 1 else f"({names})"


def draw(seed):
    """The program of this seed."""
    random = np.random.default_rng(seed)
    is_wide = bool(random.random() < 0.3)
    drawer = Drawer(random, DTYPES + WIDE_DTYPES * is_wide)
    flag = Value("flag", (), "int32")
    arguments = [Value(f"a{i}", *drawer.type()) for i in range(3)] + [Value("a3", (3,), "float32")]
    values = list(arguments)
    body = drawer.block(values, Context(), random.integers(2, 6))
    results = [value.name for value in values[len(arguments):]]
    function = Function("program", [flag, *arguments], body, f"({''.join(name + ', ' for name in results)})")
    return Program(function, drawer.raising, drawer.numbers, bool(random.random() < 0.85), is_wide)
