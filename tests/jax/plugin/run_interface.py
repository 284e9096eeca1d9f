#!/usr/bin/env python3
"""What the plugin answers to questions of the PJRT C API that pypjrt's conformance harness does not ask.

    run_interface.py BIN PLUGIN [TEST ...]      BIN has acceld and accelctl, PLUGIN is the shared object
"""

import ctypes
import sys
import unittest

import inside

PLUGIN = sys.argv[2] if len(sys.argv) > 2 else ""
inside.enter()

import pypjrt  # noqa: E402
from pypjrt.client import Client  # noqa: E402

PROGRAM = """
func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<i1>) {
  %sum = stablehlo.add %a, %b : tensor<4xf32>
  %yes = stablehlo.constant dense<true> : tensor<i1>
  return %sum, %yes : tensor<4xf32>, tensor<i1>
}
"""


class InterfaceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plugin = pypjrt.Plugin(PLUGIN)
        cls.client = Client(cls.plugin)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()

    def of_extension(self, name: str, index: int, arguments):
        """Calls a function of an extension, the one at that place of its table."""
        table = self.plugin.extension(name).address + ctypes.sizeof(self.plugin.abi.PJRT_Extension_Base)
        function = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))[index]
        error = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(function)(ctypes.byref(arguments))
        self.assertIsNone(error)
        return arguments

    def test_says_without_the_program_that_nothing_is_spread_over_devices(self):
        """JAX looks for the extension from 0.91 on; without it, it makes an HLO module of every program it compiles."""
        self.assertGreaterEqual(self.plugin.api_version, (0, 91))
        executable = self.enterContext(self.client.compile(PROGRAM))
        for index, (function, count) in enumerate((("ParameterShardings", "num_parameters"),
                                                   ("OutputShardings", "num_outputs"))):
            answer = self.of_extension("Shardings", index, self.plugin.args(
                f"PJRT_Shardings_PJRT_Executable_{function}_Args", executable=executable._executable(),
                shardings=1, sharding_sizes=1))
            self.assertEqual(getattr(answer, count), 2)
            self.assertIsNone(answer.shardings)
            self.assertIsNone(answer.sharding_sizes)

    def test_gives_back_the_options_of_a_compile(self):
        options = pypjrt.CompileOptions(num_replicas=1, num_partitions=1)
        executable = self.enterContext(self.client.compile(PROGRAM, options=options))
        self.assertEqual(executable.compile_options(), options.encode(self.plugin.abi))

    def test_has_no_tracking_events_and_says_so_without_an_error(self):
        """jaxlib ends the process on an error of this function."""
        with self.client.devices() as (device, *_):
            answer = self.plugin.args("PJRT_Device_CreateAsyncTrackingEvent_Args", device=device.address, event=1)
            self.plugin.call("PJRT_Device_CreateAsyncTrackingEvent", answer)
        self.assertIsNone(answer.event)

    def test_refuses_by_name_what_it_does_not_offer(self):
        for function in ("Client_CreateErrorBuffer", "Buffer_CopyRawToHostFuture", "Device_PoisonExecution",
                         "Buffer_DonateWithControlDependency", "Event_Create", "Event_Set",
                         "AsyncHostToDeviceTransferManager_TransferLiteral"):
            with self.subTest(function), self.assertRaisesRegex(
                    pypjrt.errors.PjrtError, rf"acceld does not offer .* \(PJRT_{function}\)"):
                self.plugin.call(f"PJRT_{function}", self.plugin.args(f"PJRT_{function}_Args"))


if __name__ == "__main__":
    unittest.main()
