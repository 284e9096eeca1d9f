"""Everything of JAX that acceld uses and that JAX does not promise to keep; what concerns programs over several devices
is in jax_meshes.py.

Each name is looked up in one of the functions below, so that a version of JAX without it is an error that says so, and
not an AttributeError somewhere. tests/jax/ runs with each version in SUPPORTED.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

SUPPORTED = ("0.10.2", "0.12.0.1")


def private(module: str, name: str) -> Any:
    """An attribute of a module under jax._src."""
    try:
        return getattr(importlib.import_module(f"jax._src.{module}"), name)
    except (ImportError, AttributeError) as error:
        raise RuntimeError(
            f"acceld needs jax._src.{module}.{name}, which JAX {jax.__version__} has not; "
            f"acceld is tested with JAX {' and '.join(SUPPORTED)}"
        ) from error


def register_plugin(name: str, library: str, priority: int) -> None:
    """Makes the shared object known to JAX as a platform."""
    # JAX warns of each use of a platform that is not in this set.
    private("xla_bridge", "_nonexperimental_plugins").add(name)
    private("xla_bridge", "register_plugin")(name, priority=priority, library_path=library)


def allow_donation(platform: str) -> None:
    """Lets jax.jit's donate_argnums reach programs for this platform."""
    platforms = private("interpreters.mlir", "_platforms_with_donation")
    if platform not in platforms:
        platforms.append(platform)


def analyze_lowered(platform: str) -> None:
    """Lets jax.jit(f).lower(x).cost_analysis() answer for this platform what .compile().cost_analysis() does: both count
    the program as it was lowered, and nothing is compiled for it."""
    computation = private("interpreters.pxla", "MeshComputation")
    elsewhere = computation.cost_analysis

    def cost_analysis(self: Any) -> dict[str, float]:
        if self.compile_args["backend"].platform != platform:
            return elsewhere(self)
        return self.compile({"acceld_compile": "later"}).cost_analysis()

    computation.cost_analysis = cost_analysis


def wait_before_fetching(platform: str, fetch_ahead: Callable[[int], bool]) -> None:
    """Lets the main thread wait for an array's value before it fetches it, unless `fetch_ahead` of its buffers says that
    it is there. Ctrl-C ends either, but JAX keeps an array whose fetch is under way, and so what computes it."""
    array_type = private("array", "ArrayImpl")
    fetch = array_type._value.fget
    main = threading.main_thread().ident

    def is_here(array: Any) -> bool:
        if len(array._arrays) == 1:
            return fetch_ahead(array.unsafe_buffer_pointer())
        return all(fetch_ahead(shard.data.unsafe_buffer_pointer()) for shard in array.addressable_shards
                   if shard.replica_id == 0)

    def value(self: Any) -> Any:
        if threading.get_ident() == main and self._npy_value is None and not self.is_deleted() \
                and self.platform() == platform and not is_here(self):
            self.block_until_ready()
        return fetch(self)

    array_type._value = property(value, doc=array_type._value.__doc__)


def _replace_in_mlir(name: str, function: Callable[..., Any]) -> None:
    """Replaces a function of JAX's module of lowerings in both places where others find it."""
    for module in ("jax._src.interpreters.mlir", "jax.interpreters.mlir"):
        setattr(importlib.import_module(module), name, function)


def lower_as_on(platform: str, other: str, primitives: frozenset[str]) -> None:
    """Uses the lowering that another platform has of these primitives, by name, for the platform, also of modules
    imported later."""
    rules = private("interpreters.mlir", "_platform_specific_lowerings")
    register = private("interpreters.mlir", "register_lowering")
    for primitive, entry in list(rules[other].items()):
        if primitive.name in primitives:
            rules[platform][primitive] = entry

    def register_lowering(prim: Any, rule: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        register(prim, rule, *args, **kwargs)
        entry = rules[other].get(prim)
        if entry is not None and prim.name in primitives:
            rules[platform][prim] = entry

    _replace_in_mlir("register_lowering", register_lowering)


class _RowMajor:
    """The layout of an array of so many dimensions on the daemon, with the methods that JAX calls of jaxlib's."""

    def __init__(self, dimensions: int) -> None:
        self._minor_to_major = tuple(reversed(range(dimensions)))

    def _xla_layout(self) -> _RowMajor:
        return self

    def minor_to_major(self) -> tuple[int, ...]:
        return self._minor_to_major

    def tiling(self) -> list[Any]:
        return []

    def element_size_in_bits(self) -> int:
        return 0


class _WithLayouts:
    """An executable whose layouts are known."""

    def __init__(self, parameters: list[_RowMajor], results: list[Any]) -> None:
        self._parameters, self._results = parameters, results

    def get_parameter_layouts(self) -> list[_RowMajor]:
        return self._parameters

    def get_output_layouts(self) -> list[Any]:
        return self._results


def know_parameter_layouts(platform: str) -> None:
    """Tells JAX the layouts of a program's parameters, all row-major. For a plugin's programs jaxlib finds them in the
    whole program, which it gets as text and translates: tens of milliseconds for each program."""
    pxla = importlib.import_module("jax._src.interpreters.pxla")
    find_elsewhere = private("interpreters.pxla", "_get_layouts_from_executable")
    physical = private("core", "physical_aval")

    def find(executable: Any, in_layouts: Any, out_layouts: Any, num_ordered_effects: int, in_avals: Sequence[Any],
             out_avals: Sequence[Any]) -> Any:
        if executable.client.platform == platform:
            # A token comes first for each ordered effect. Tokens have no dimensions in JAX, and one here.
            dimensions = [1] * num_ordered_effects + [getattr(physical(aval), "ndim", 1) for aval in in_avals]
            executable = _WithLayouts([_RowMajor(one) for one in dimensions], executable.get_output_layouts())
        return find_elsewhere(executable, in_layouts, out_layouts, num_ordered_effects, in_avals, out_avals)

    pxla._get_layouts_from_executable = find


def _checked(function: Callable[..., Any], expected: Sequence[Any]) -> Callable[..., Any]:
    """A function that gives what `function` gives as arrays, and raises when they are not as expected."""
    canonicalize = private("dtypes", "canonicalize_dtype")

    def call(*args: Any) -> tuple[Any, ...]:
        results = function(*args)
        if len(results) != len(expected):
            raise RuntimeError(f"Mismatched number of outputs from callback. Expected: {len(expected)}, "
                               f"Actual: {len(results)}")
        arrays = []
        for i, (result, aval) in enumerate(zip(results, expected)):
            array = np.asarray(result)
            array = array.astype(canonicalize(array.dtype), copy=False)
            for what, wanted, given in (("shape", aval.shape, array.shape), ("dtype", aval.dtype, array.dtype)):
                if wanted != given:
                    raise RuntimeError(f"Incorrect output {what} for return value #{i}: Expected: {wanted}, "
                                       f"Actual: {given}")
            arrays.append(array)
        return tuple(arrays)

    return call


def _start_cpu() -> None:
    """Makes the CPU platform available beside others: JAX's callbacks put their arguments there."""
    bridge = importlib.import_module("jax._src.xla_bridge")
    started, lock, start = private("xla_bridge", "_backends"), bridge._backend_lock, bridge._init_backend
    if "cpu" not in started:
        with lock:
            started["cpu"] = start("cpu")


def _with_token(sharding: Any) -> Any:
    """The sharding of a call's results with that of a token before them, where each result has its own."""
    if not isinstance(sharding, private("sharding_impls", "SdyArrayList")):
        return sharding
    token = private("sharding_impls", "SdyArray")(
        mesh_shape=(), dim_shardings=(), logical_device_ids=sharding.shardings[0].logical_device_ids)
    return type(sharding)((token, *sharding.shardings))


def call_back(platform: str, register: Callable[[Sequence[Any]], list[int]]) -> None:
    """Lets programs for the platform call Python: each call becomes a custom call with the number that the function has
    in the program, and the program is compiled with the option that says what `register` calls these functions."""
    callback = importlib.import_module("jax._src.callback")
    compiler = importlib.import_module("jax._src.compiler")
    emit_elsewhere = private("callback", "emit_python_callback")
    compile_elsewhere = private("compiler", "backend_compile_and_load")
    mlir = importlib.import_module("jax._src.interpreters.mlir")
    hlo, ir = private("lib.mlir.dialects", "hlo"), private("lib.mlir", "ir")

    def emit(ctx: Any, function: Callable[..., Any], token: Any, operands: Sequence[Any], operand_avals: Sequence[Any],
             result_avals: Sequence[Any], *, has_side_effect: bool, partitioned: bool = False, sharding: Any = None,
             **options: Any) -> tuple[Any, Any, Any]:
        module = ctx.module_context
        if tuple(module.platforms) != (platform,):
            return emit_elsewhere(ctx, function, token, operands, operand_avals, result_avals,
                                  has_side_effect=has_side_effect, partitioned=partitioned, sharding=sharding,
                                  **options)
        if partitioned and result_avals:
            raise ValueError("Partitioned callback not supported with return values.")
        checked = _checked(function, result_avals)
        number = len(module.host_callbacks)
        module.add_host_callback(checked)
        config = {"callback": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)}
        # In shard_map, whose context has no number of devices, each device calls anyway.
        if partitioned and getattr(module.axis_context, "num_devices", 1) > 1:
            config["partitioned"] = ir.BoolAttr.get(True)
        tokens = [token] if token else []
        types = [mlir.aval_to_ir_type(ctx.module_context, aval) for aval in result_avals]
        call = hlo.CustomCallOp(
            [*(token.type for token in tokens), *types], [*tokens, *operands],
            call_target_name=ir.StringAttr.get("acceld.host_callback"),
            has_side_effect=ir.BoolAttr.get(has_side_effect),
            api_version=ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 4),
            backend_config=ir.DictAttr.get(config))
        results = list(call.results)
        if sharding is not None:  # it has one for each result, or one if there are none
            mlir.set_sharding(module, call, _with_token(sharding) if token and types else sharding)
        new_token = results.pop(0) if token else None
        return results, new_token, checked

    def compile_and_load(backend: Any, module: Any, executable_devices: Any, options: Any,
                         host_callbacks: Sequence[Any]) -> Any:
        if backend.platform == platform and host_callbacks:
            _start_cpu()
            numbers = ",".join(str(number) for number in register(host_callbacks))
            options.env_option_overrides = [*options.env_option_overrides, ("acceld_callbacks", numbers)]
            host_callbacks = []
        return compile_elsewhere(backend, module, executable_devices, options, host_callbacks)

    callback.emit_python_callback = emit
    _replace_in_mlir("emit_python_callback", emit)
    compiler.backend_compile_and_load = compile_and_load
