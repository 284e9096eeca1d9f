"""What acceld uses of JAX, and JAX does not promise to keep, for programs over several devices; see jax_private.py."""

from __future__ import annotations

import importlib
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax

from acceld.jax_private import private


def put_in_another_order(platform: str) -> None:
    """Lets jax.device_put distribute an array over a mesh that has the array's devices in another order. JAX's own way
    is a program whose argument is on a mesh in the order of the array, and whose result is on one in the other order;
    here the shards are copied to where the new mesh has the same places, and a program on that mesh does the rest."""
    dispatch = importlib.import_module("jax._src.dispatch")
    elsewhere = private("dispatch", "_different_device_order_reshard")
    donate = private("lib", "xla_client").ArrayCopySemantics.DONATE_INPUT

    def reshard(x: Any, target: Any, copy: Any) -> Any:
        source = x.sharding
        if x.platform() != platform or not isinstance(source, jax.sharding.NamedSharding) \
                or source.is_fully_replicated or tuple(source.mesh.devices.flat) == tuple(target.mesh.devices.flat):
            return elsewhere(x, target, copy)
        shards = {shard.device: shard.data for shard in x.addressable_shards}
        mesh = jax.sharding.Mesh(target.mesh.devices.reshape(source.mesh.devices.shape), source.mesh.axis_names)
        with jax.transfer_guard_device_to_device("allow"):  # JAX's own way counts as a program
            moved = [jax.device_put(shards[before], after)
                     for before, after in zip(source.mesh.devices.flat, mesh.devices.flat)]
        sharding = jax.sharding.NamedSharding(mesh, source.spec)
        result = jax.jit(lambda x: x, out_shardings=target)(
            jax.make_array_from_single_device_arrays(x.shape, sharding, moved))
        if copy == donate:
            x.delete()
        return result

    dispatch._different_device_order_reshard = reshard


_INSPECTION = "InspectSharding"


def _inspections(operation: Any) -> list[Any]:
    """The calls inside an operation by which JAX asks how values are distributed, in their order."""
    ir = private("lib.mlir", "ir")
    found = []
    for region in operation.regions:
        for block in region.blocks:
            for op in block.operations:
                if op.operation.name == "stablehlo.custom_call" \
                        and ir.StringAttr(op.attributes["call_target_name"]).value == _INSPECTION:
                    found.append(op.operation)
                found += _inspections(op.operation)
    return found


def _is_in_manual_computation(call: Any) -> bool:
    """Whether the value is one shard, as in shard_map: it has no sharding then."""
    parent = call.parent
    while parent is not None and parent.name != "sdy.manual_computation":
        parent = parent.parent
    return parent is not None


def _copied(module: Any) -> Any:
    mlir, ir = importlib.import_module("jax._src.interpreters.mlir"), private("lib.mlir", "ir")
    with module.context:
        return ir.Module.parse(mlir.module_to_bytecode(module))


def _without_inspections(module: Any) -> Any:
    copy = _copied(module)
    for call in _inspections(copy.operation):
        call.erase()
    return copy


def _add_results(main: Any, values: Sequence[Any]) -> None:
    """Lets a function return these values, too."""
    ir = private("lib.mlir", "ir")
    end = list(main.regions[0].blocks[0].operations)[-1]
    results = [*end.operation.operands, *values]
    ir.Operation.create("func.return", operands=results, ip=ir.InsertionPoint(end))
    end.operation.erase()
    signature = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)
    main.attributes["function_type"] = ir.TypeAttr.get(
        ir.FunctionType.get(signature.inputs, [result.type for result in results]))
    if "res_attrs" in main.attributes:
        main.attributes["res_attrs"] = ir.ArrayAttr.get(
            [*main.attributes["res_attrs"], *(ir.DictAttr.get({}) for _ in values)])


def _with_inspected_results(module: Any) -> Any:
    """A program that has what is inspected as further results."""
    ir = private("lib.mlir", "ir")
    copy = _copied(module)
    with copy.context, ir.Location.unknown():
        main = ir.SymbolTable(copy.operation)["main"]
        calls = _inspections(copy.operation)
        inspected = [call for call in calls if not _is_in_manual_computation(call)]
        if any(call.parent != main.operation for call in inspected):
            raise NotImplementedError(
                "jax.debug.inspect_array_sharding and visualize_array_sharding in a loop, a branch or a function with "
                "a jax.jit of its own: acceld tells the shardings of values of the outermost function")
        _add_results(main, [call.operands[0] for call in inspected])
        for call in calls:
            call.erase()
    return copy


def inspect_shardings(platform: str) -> None:
    """Lets jax.debug.inspect_array_sharding and visualize_array_sharding tell the shardings of values inside of jit.
    JAX lets XLA's partitioner call Python; here a program that has these values as results is partitioned, too, and
    tells how its results are distributed."""
    xla, compiler = private("lib", "xla_client"), importlib.import_module("jax._src.compiler")
    encode, compile_elsewhere = xla.encode_inspect_sharding_callback, private("compiler", "backend_compile_and_load")
    # By the text that stands for a function in the program. JAX keeps the functions as long as the program.
    functions: weakref.WeakValueDictionary[bytes, Callable[[Any], None]] = weakref.WeakValueDictionary()

    def remember(function: Callable[[Any], None]) -> bytes:
        text = encode(function)
        functions[text] = function
        return text

    def function_of(call: Any) -> Callable[[Any], None]:
        return functions[private("lib.mlir", "ir").StringAttr(call.attributes["backend_config"]).value_bytes]

    def compile_and_load(backend: Any, module: Any, executable_devices: Any, options: Any,
                         host_callbacks: Sequence[Any]) -> Any:
        calls = _inspections(module.operation) if backend.platform == platform and functions else []
        if calls:
            are_manual = [_is_in_manual_computation(call) for call in calls]
            overrides = options.env_option_overrides
            options.env_option_overrides = [*overrides, ("acceld_compile", "later")]
            inspecting = compile_elsewhere(backend, _with_inspected_results(module), executable_devices, options,
                                           host_callbacks)
            options.env_option_overrides = overrides
            shardings = iter((inspecting.get_output_shardings() or [])[-are_manual.count(False):])
            manual = xla.OpSharding()
            manual.type = xla.OpSharding.Type.MANUAL
            for call, is_manual in zip(calls, are_manual):
                function_of(call)(xla.HloSharding.from_proto(manual if is_manual else next(shardings)))
            module = _without_inspections(module)
        return compile_elsewhere(backend, module, executable_devices, options, host_callbacks)

    xla.encode_inspect_sharding_callback = remember
    compiler.backend_compile_and_load = compile_and_load
