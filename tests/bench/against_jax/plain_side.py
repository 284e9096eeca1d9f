"""A platform of JAX, driven through a process of its own (plain_worker.py)."""

import json
import pathlib
import pickle
import subprocess
import sys


class Failed(Exception):
    """The process has ended, or JAX has raised something; the text says what."""


class PlainSide:
    """One loaded workload at a time, in a process with this environment; `log` takes what that process complains of."""

    def __init__(self, name, environment, log):
        self.name, self.log = name, log
        with open(log, "wb") as errors:
            self.process = subprocess.Popen([sys.executable, pathlib.Path(__file__).with_name("plain_worker.py")],
                                            env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=errors)
        self._answer()

    def load(self, workload):
        """Nanoseconds of tracing, lowering and compiling."""
        return self._ask("load", workload)

    def run(self, repeats=1):
        """Nanoseconds of the last of so many calls, until its results are there."""
        return self._ask("run", repeats)

    def results(self, folder):
        """What the last run gave."""
        file = folder / f"{self.name}.pickle"
        self._ask("results", str(file))
        return pickle.loads(file.read_bytes())

    def unload(self):
        self._ask("unload")

    def calls(self, count):
        """Nanoseconds of so many calls of a tiny function: until each returns, is ready, and has its value here."""
        return self._ask("calls", count)

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def _ask(self, *command):
        try:
            self.process.stdin.write(json.dumps(command) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer says it
        return self._answer()

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failed(f"{self.name}: {self.log.read_text()[-600:].strip()}")
        answer = json.loads(line)
        if isinstance(answer, dict) and "error" in answer:
            raise Failed(f"{self.name}: {answer['error']}")
        return answer
