"""acceld, in a process of its own behind its socket, and the client that times it (timing_client.cc)."""

import contextlib
import json
import os
import pathlib
import selectors
import subprocess
import time

import numpy as np

ANSWER_SECONDS = 600
# Seconds for which a core of a new daemon is busy with what first programs would wait for.
PREPARING = 3


class Failed(Exception):
    """The daemon or its client says no; the text says why."""


def find_client(binaries):
    """timing_client of a build or of a bundle, beside acceld or among the tests."""
    for folder in (binaries, binaries.parent / "tests", binaries.parent / "tests/bin"):
        if (folder / "timing_client").is_file():
            return folder / "timing_client"
    raise Failed(f"no timing_client in {binaries} or beside it: build it (cmake --build --preset release -t "
                 "timing_client), or name the folder with --bin")


class Daemon:
    """A daemon on a socket in `folder`, which also holds its cache and its log."""

    def __init__(self, binaries, folder, device_kind, cores, devices=1, options=()):
        if not (binaries / "acceld").is_file():
            raise Failed(f"no acceld in {binaries}: build it (cmake --build --preset release -t acceld timing_client),"
                         " or name the folder with --bin")
        self.address = f"unix:{folder}/acceld.sock"
        self.log = folder / "acceld.log"
        # It ends with this process, and leaves GPUs alone that are not meant.
        self.command = ["setpriv", "--pdeathsig", "TERM", binaries / "acceld", "--listen", self.address,
                        "--cache-dir", folder / "cache", "--threads-per-device", str(cores), *options]
        if device_kind == "cpu":
            self.command += ["--cuda-devices", "none", "--cpu-devices", str(devices)]
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class AcceldSide:
    """One loaded program at a time, in a session of its own; with a daemon of its own, or one at an address."""

    name = "acceld"

    def __init__(self, binaries, device, folder, cores, address=None):
        self.binaries, self.folder = binaries, pathlib.Path(folder)
        client = find_client(binaries)
        self.daemon = None if address else Daemon(binaries, self.folder, device.split(":")[0], cores)
        self.command = [str(client), "--address", address or self.daemon.address, "--device", device]
        self.calls = 0
        self.device_ns = []
        try:
            self._connect()
        except Failed as failed:
            self.close()
            log = "" if address else f"\n{self.daemon.log.read_text()[-2000:]}"
            raise Failed(f"{failed}{log}") from None

    def recover(self):
        """After a failure: a new session, and a new daemon if its own has ended."""
        self._disconnect()
        if self.daemon is not None and self.daemon.process.poll() is not None:
            self.daemon.start()
        self._connect()

    def start_again(self):
        """Its own daemon, which keeps its folder of compiled programs; waits until it has prepared memory too."""
        self._disconnect()
        self.daemon.stop()
        self.daemon.start()
        self._connect()
        time.sleep(PREPARING)

    def close(self):
        self._disconnect()
        if self.daemon is not None:
            self.daemon.stop()

    def load(self, module, values, calls):
        """Uploads the operands and compiles; the client's answer."""
        answer = self._take("load", module, values)
        self.calls, self.device_ns = calls, []
        return answer

    def forget(self):
        """Everything compiled, in memory and on disk. For a daemon of its own."""
        accelctl = [self.binaries / "accelctl", "--address", self.daemon.address, "cache", "purge", "--all"]
        purge = subprocess.run(accelctl, capture_output=True, text=True)
        if purge.returncode != 0:
            raise Failed(f"accelctl cache purge: {purge.stderr[-300:]}")

    def first(self, module, values):
        """Uploads the operands and calls once, in a new process; the client's answer."""
        self._disconnect()
        self._connect()
        return self._take("first", module, values)

    def run(self, repeats=1):
        """Nanoseconds from the first call until its results, or those of the last call, are there; of the last of
        several repeats."""
        answer = self._ask({"command": "run", "calls": self.calls, "repeats": repeats})
        self.device_ns.append(answer["device_ns"])
        return answer["elapsed_ns"]

    def results(self):
        """What the last run gave."""
        count = self._ask({"command": "write", "folder": str(self.folder)})["results"]
        results = []
        for i in range(count):
            results.append(np.load(self.folder / f"{i}.npy"))
            os.unlink(self.folder / f"{i}.npy")
        return results

    def unload(self):
        self._ask({"command": "unload"})

    def _take(self, command, module, values):
        program = self.folder / "program.mlirbc"
        program.write_bytes(module)
        files = []
        for i, value in enumerate(values):
            files.append(str(self.folder / f"operand{i}.npy"))
            np.save(files[-1], value)
        try:
            return self._ask({"command": command, "program": str(program), "arguments": files})
        finally:
            for file in files:
                os.unlink(file)

    def _connect(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.unread = b""
        self.welcome = self._answer(60)

    def _disconnect(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()

    def _ask(self, command):
        try:
            self.process.stdin.write(json.dumps(command).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failed("timing_client has ended") from None
        return self._answer(ANSWER_SECONDS)

    def _answer(self, seconds):
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.unread:
                if not selector.select(max(0, deadline - time.monotonic())):
                    raise Failed(f"timing_client gives no answer in {seconds} s")
                read = os.read(self.process.stdout.fileno(), 1 << 16)
                if not read:
                    raise Failed("timing_client has ended")
                self.unread += read
        line, _, self.unread = self.unread.partition(b"\n")
        answer = json.loads(line)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer
