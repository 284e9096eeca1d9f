#!/usr/bin/env python3
"""What JAX programs meet when something goes wrong: daemons that die, forks, exits in the midst of work, memory that is
not there, Ctrl-C, addresses and programs that are none.

    run_faults.py BIN PLUGIN [TEST ...]       BIN has acceld and accelctl, PLUGIN is the shared object
"""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness  # noqa: E402

import platforms  # noqa: E402

BINARIES, PLUGIN = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
# Far more than any of it takes on a busy machine, and far less than anyone would wait for something that hangs.
SECONDS = 90

# What the programs below share. A million million steps take hours.
PREAMBLE = """
import os, sys, threading, time
import jax, jax.numpy as jnp, numpy as np

@jax.jit
def double(x):
    return x * 2 + 1

@jax.jit
def run(x, million_steps):
    def million(i, y):
        return jax.lax.fori_loop(0, 1_000_000, lambda j, y: jnp.sin(y) + 1e-3, y)
    return jax.lax.fori_loop(0, million_steps, million, x)

def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())
"""


class Program:
    """A Python program that runs beside the test, and what it has printed."""

    def __init__(self, text, environment, log):
        self.log = log
        with open(log, "wb") as output:
            self.process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", PREAMBLE + textwrap.dedent(text)],
                                            env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output)

    def output(self):
        return self.log.read_text()

    def wait_for(self, words):
        """Until it has printed these."""
        end = time.monotonic() + SECONDS
        while words not in self.output():
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"it has not said {words!r}: {self.output()}")
            time.sleep(0.01)

    def end(self, seconds=SECONDS):
        """What it printed, and its exit code; it must end by itself in so many seconds."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"it does not end in {seconds} s: {self.output()}") from None
        return self.output(), self.process.returncode

    def kill(self):
        self.process.kill()
        self.process.wait()


class Faults(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.folder = pathlib.Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.programs = 0
        self.environment = platforms.acceld_environment(self.folder, PLUGIN, f"unix:{self.folder}/acceld.sock")

    def start_daemon(self, *flags):
        daemon = harness.Daemon(BINARIES, self.folder, *flags)
        self.stack.callback(self.kill, daemon)
        return daemon

    @staticmethod
    def kill(daemon):
        daemon.process.kill()
        daemon.process.wait()

    def program(self, text, environment=None):
        self.programs += 1
        program = Program(text, environment or self.environment, self.folder / f"program{self.programs}")
        self.stack.callback(program.kill)
        return program

    def run_program(self, text, environment=None, code=0):
        """What it prints; it must end with this code."""
        output, returncode = self.program(text, environment).end()
        self.assertEqual(returncode, code, output)
        return output


class DaemonsThatEnd(Faults):
    LOOP = """
        x = double(jnp.ones(4))
        x.block_until_ready()
        say("going")
        try:
            while True:
                x = double(x) * 0.1
                float(x[0])
        except jax.errors.JaxRuntimeError as error:
            say("caught", error)
        for what in (lambda: double(x), lambda: double(np.ones(4, np.float32)), lambda: jnp.ones(3) + 1,
                     lambda: jax.device_put(np.ones(5)), lambda: jax.jit(lambda y: y - 1)(np.ones(6)),
                     lambda: double(double(x))):
            try:
                say("works", np.asarray(what()))
            except jax.errors.JaxRuntimeError as error:
                say("still", error)
    """

    def test_a_killed_daemon_is_an_error_at_once_and_the_next_process_works_with_a_new_one(self):
        daemon = self.start_daemon()
        program = self.program(self.LOOP)
        program.wait_for("going")
        self.kill(daemon)
        output, code = program.end(seconds=15)
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"caught UNAVAILABLE: .*acceld")
        self.assertEqual(len(re.findall(r"still UNAVAILABLE: .*acceld", output)), 6, output)
        self.start_daemon()
        self.assertIn("[3. 3. 3. 3.]", self.run_program("say(double(jnp.ones(4)))"))

    def test_a_daemon_that_was_restarted_between_calls_is_an_error_that_says_so(self):
        daemon = self.start_daemon()
        program = self.program("""
            x = double(jnp.ones(4)).block_until_ready()
            say("idle")
            while not os.path.exists(os.environ["RESTARTED"]):
                time.sleep(0.01)
            for attempt in range(2):
                try:
                    say("value", double(x))
                except jax.errors.JaxRuntimeError as error:
                    say("caught", error)
            """, {**self.environment, "RESTARTED": str(self.folder / "restarted")})
        program.wait_for("idle")
        self.assertIsNone(daemon.stop())
        self.start_daemon()
        (self.folder / "restarted").touch()
        output, code = program.end(seconds=15)
        self.assertEqual(code, 0, output)
        self.assertEqual(len(re.findall(r"caught UNAVAILABLE: .*acceld", output)), 2, output)

    def test_a_daemon_that_ends_in_the_midst_of_a_run_is_an_error_for_who_waits(self):
        daemon = self.start_daemon()
        program = self.program("""
            x = run(jnp.ones(4), 1_000_000)
            say("waiting")
            try:
                x.block_until_ready()
            except jax.errors.JaxRuntimeError as error:
                say("caught", error)
            try:
                np.asarray(x)
            except jax.errors.JaxRuntimeError as error:
                say("fetched", error)
            """)
        program.wait_for("waiting")
        time.sleep(0.5)
        self.kill(daemon)
        output, code = program.end(seconds=15)
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"caught UNAVAILABLE: ")
        self.assertRegex(output, r"fetched UNAVAILABLE: ")


class Processes(Faults):
    def test_a_child_forked_before_jax_is_used_works(self):
        self.start_daemon()
        output = self.run_program("""
            child = os.fork()
            say("child" if child == 0 else "parent", double(jnp.ones(2)))
            if child == 0:
                sys.exit(7)
            say("code", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """)
        self.assertIn("child [3. 3.]", output)
        self.assertIn("parent [3. 3.]", output)
        self.assertIn("code 7", output)

    def test_a_child_forked_after_jax_was_used_is_told_and_the_parent_goes_on(self):
        # The child compiles nothing and leaves by os._exit: both hang within JAX 0.10.2, on its own CPU platform too.
        self.start_daemon()
        output = self.run_program("""
            x = double(jnp.ones(2))
            double(np.ones(2, np.float32))
            child = os.fork()
            if child == 0:
                for what in (lambda: double(x), lambda: np.asarray(x), lambda: jax.device_put(np.ones(3)),
                             lambda: x.block_until_ready(), lambda: double(np.ones(2, np.float32))):
                    try:
                        say("child", what())
                    except jax.errors.JaxRuntimeError as error:
                        say("child caught", error)
                os._exit(7)
            say("code", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            say("parent", double(x), jax.jit(lambda y: y - 1)(x))
            """)
        self.assertEqual(len(re.findall("child caught FAILED_PRECONDITION: this process was forked", output)),
                         5, output)
        self.assertIn("code 7", output)
        self.assertIn("parent [7. 7.] [2. 2.]", output)

    def test_multiprocessing_spawns(self):
        self.start_daemon()
        file = self.folder / "spawning.py"
        file.write_text(textwrap.dedent("""
            import multiprocessing
            import jax.numpy as jnp

            def total(n):
                return float(jnp.arange(n).sum())

            if __name__ == "__main__":
                jnp.ones(3).sum().block_until_ready()
                with multiprocessing.get_context("spawn").Pool(2) as pool:
                    print(pool.map(total, [3, 4, 5]))
            """))
        run = subprocess.run([sys.executable, file], env=self.environment, capture_output=True, text=True,
                             timeout=SECONDS)
        self.assertEqual((run.returncode, run.stdout), (0, "[3.0, 6.0, 10.0]\n"), run.stderr)

    def test_eight_processes_at_once_compile_each_program_once(self):
        script = "say(double(jnp.ones(5)), jnp.sort(jnp.arange(9.0)[::-1])[2], jax.random.normal(jax.random.key(0)))"
        alone = self.start_daemon("--no-disk-cache")
        self.run_program(script)
        wanted = alone.stats()["compiles"]
        self.assertIsNone(alone.stop())
        daemon = self.start_daemon("--no-disk-cache")
        programs = [self.program(script) for _ in range(8)]
        outputs = set()
        for program in programs:
            output, code = program.end()
            self.assertEqual(code, 0, output)
            outputs.add(output)
        self.assertEqual(len(outputs), 1, outputs)
        stats = daemon.stats()
        self.assertGreater(wanted, 2)
        self.assertEqual((stats["compiles"], stats["cache_misses"]), (wanted, wanted), stats)
        self.assertEqual(stats["sessions_total"], 8, stats)


class Exits(Faults):
    def ends(self, text, codes):
        """What it prints; it ends with one of these codes, and soon."""
        program = self.program(text)
        program.wait_for("leaving")
        output, code = program.end(seconds=10)
        self.assertIn(code, codes, output)
        return output

    def assert_daemon_is_idle(self, daemon):
        """What the program left behind is stopped and freed."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            stats = daemon.stats()
            if stats["sessions"] <= 1 and stats["arrays"] == 0:
                return
            time.sleep(0.1)
        self.fail(f"the daemon still has {stats['sessions']} sessions and {stats['arrays']} arrays")

    def test_the_interpreter_ends_with_work_in_flight(self):
        daemon = self.start_daemon()
        for ending, code in (("", 0), ("sys.exit(3)", 3), ("os._exit(4)", 4), ("1 / 0", 1)):
            with self.subTest(ending):
                output = self.ends(f"""
                    x = run(jnp.ones(4), 1_000_000)
                    y = double(x)
                    y.copy_to_host_async()
                    say("leaving")
                    {ending}
                    """, [code])
                self.assertEqual("ZeroDivisionError" in output, ending == "1 / 0", output)
                self.assert_daemon_is_idle(daemon)

    def test_the_interpreter_ends_while_threads_call(self):
        daemon = self.start_daemon()
        # Python ends daemonic threads where they stand, which aborts within JAX, on its own CPU platform too.
        for daemonic, code in ((True, 5), (False, 6)):
            with self.subTest(daemonic=daemonic):
                self.ends(f"""
                    stopping = threading.Event()
                    def work(n):
                        x = jnp.full((8,), float(n))
                        while not stopping.is_set():
                            x = double(x) * 0.1
                            float(x[0])
                    for n in range(6):
                        threading.Thread(target=work, args=(n,), daemon={daemonic}).start()
                    time.sleep(0.5)
                    say("leaving")
                    if not {daemonic}:
                        threading.Timer(0.3, stopping.set).start()
                    sys.exit({code})
                    """, [code, -signal.SIGABRT] if daemonic else [code])
                self.assert_daemon_is_idle(daemon)


class Refusals(Faults):
    def test_memory_that_is_not_there_is_an_error_and_the_program_goes_on(self):
        self.start_daemon("--device-memory", "256MiB", "--host-memory", "0")
        output = self.run_program("""
            kept = double(jnp.ones(4))
            for what in (lambda: jnp.ones((1 << 28,)).block_until_ready(), lambda: jax.device_put(np.ones(1 << 27)),
                         lambda: jax.jit(lambda x: jnp.sort(x[:, None] * x))(jnp.ones(1 << 14))):
                try:
                    what().block_until_ready()
                    say("fits")
                except jax.errors.JaxRuntimeError as error:
                    say("caught", error)
            arrays = []
            try:
                for i in range(40):
                    arrays.append(double(jnp.full((1 << 22,), float(i))))
                    arrays[-1].block_until_ready()
            except jax.errors.JaxRuntimeError as error:
                say("filled", error)
            say("arrays", len(arrays))
            del arrays
            say("after", double(kept), float(double(jnp.ones(1 << 23)).sum()))
            """)
        self.assertGreaterEqual(len(re.findall("caught RESOURCE_EXHAUSTED: ", output)), 2, output)
        self.assertIn("filled RESOURCE_EXHAUSTED: ", output)
        self.assertIn("after [7. 7. 7. 7.]", output)

    def test_a_bad_address_is_named(self):
        for address, said in (("unix:/nowhere/acceld.sock", "/nowhere/acceld.sock"), ("127.0.0.1:1", "127.0.0.1:1"),
                              ("gopher://here", "gopher"), ("tls://no-such-host.invalid:1", "no-such-host.invalid")):
            with self.subTest(address):
                program = self.program("say(jnp.ones(2))", {**self.environment, "ACCELD_ADDRESS": address})
                output, code = program.end(seconds=30)
                self.assertEqual(code, 1, output)
                last = re.search("(?m)^RuntimeError: Unable to initialize backend 'acceld': (.*)$", output)
                self.assertIsNotNone(last, output)
                self.assertIn(said, last[1])

    def test_programs_that_are_none_are_refused_and_the_process_goes_on(self):
        self.start_daemon()
        output = self.run_program("""
            def ffi(x):
                return jax.ffi.ffi_call("no_such_target", jax.ShapeDtypeStruct((2,), jnp.float32))(x)

            def enormous(x):
                return jnp.broadcast_to(x[:1], (1 << 20, 1 << 20, 1 << 10)).sum()

            for function in ffi, enormous:
                try:
                    jax.jit(function)(jnp.ones(2)).block_until_ready()
                except jax.errors.JaxRuntimeError as error:
                    say(function.__name__, error)
            say("after", double(jnp.ones(2)))
            """)
        self.assertRegex(output, "ffi UNIMPLEMENTED: .*no_such_target")
        self.assertRegex(output, "enormous INVALID_ARGUMENT: .*1048576x1048576x1024xf32> is larger than the limit")
        self.assertIn("after [3. 3.]", output)


class Interrupts(Faults):
    """Ctrl-C is a KeyboardInterrupt at once; JAX's own CPU platform runs such programs within the call, deaf to it."""

    WAITS = {"wait": "x.block_until_ready()", "fetch": "np.asarray(x)", "value": "x[0].item()"}

    def check_interrupted(self, waiting):
        """Checks that a program that waits has its KeyboardInterrupt, hours before its run would end."""
        program = self.program(f"""
            run(jnp.ones(4), 1).block_until_ready()
            try:
                say("waiting")
                x = run(jnp.ones(4), 1_000_000)
                {waiting}
            except KeyboardInterrupt:
                say("interrupted")
                os._exit(9)
            """)
        program.wait_for("waiting")
        time.sleep(1)
        program.process.send_signal(signal.SIGINT)
        output, code = program.end()
        self.assertEqual(code, 9, output)

    def test_what_is_interrupted_and_dropped_is_in_nobodys_way(self):
        daemon = self.start_daemon()
        for name, waiting in self.WAITS.items():
            with self.subTest(name):
                program = self.program(f"""
                    double(run(jnp.ones(4), 0)).block_until_ready()
                    x = run(jnp.ones(4), 1_000_000)
                    y = double(x)
                    try:
                        say("waiting")
                        {waiting}
                    except KeyboardInterrupt:
                        say("interrupted")
                    del x, y
                    say("after", double(jnp.ones(4)))
                    """)
                program.wait_for("waiting")
                time.sleep(1)
                program.process.send_signal(signal.SIGINT)
                output, code = program.end()
                self.assertEqual(code, 0, output)
                self.assertIn("after [3. 3. 3. 3.]", output)
        self.assertEqual(daemon.stats()["execution_failures"], 0)

    def test_results_that_are_dropped_are_no_errors_of_others(self):
        self.start_daemon()
        output = self.run_program("""
            run(jnp.ones(4), 0).block_until_ready()
            for i in range(5):
                x = run(jnp.ones(4), 1_000_000)
                time.sleep(0.05)
                x = double(jnp.full(4, float(i)))
            say("last", jax.block_until_ready(x))
            jax.effects_barrier()
            """)
        self.assertEqual(output, "last [9. 9. 9. 9.]\n")

    def test_control_c_ends_a_long_wait(self):
        self.start_daemon()
        for name, waiting in self.WAITS.items():
            with self.subTest(name):
                self.check_interrupted(waiting)


if __name__ == "__main__":
    unittest.main()
