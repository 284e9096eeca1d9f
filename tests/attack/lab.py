"""A daemon of the attack's own, with small limits, and what is asked of it before and after.

The daemon listens on a unix socket in a temporary folder and on a port of 127.0.0.1, and knows three users by token:
ann, who attacks, bob, who works, and eve, who is nobody. Who runs the attacks is the daemon's own user, an admin.
"""

import contextlib
import hashlib
import os
import pathlib
import resource
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

import programs
from attacks import Failed, Skipped, expect
from protocol import Client

USERS = ("ann", "bob")
# More than any wait for the daemon takes on a slow machine.
PATIENCE_S = 20
RESIDENT_SLACK_BYTES = 256 << 20
# What streams of a GPU keep for calls of libraries.
WORKSPACE_BYTES = 128 << 20
# What gRPC opens when there is more to do than before, and keeps.
OPEN_FILES_SLACK = 6


def free_ports(count):
    """Different ones: each is held until all are known."""
    with contextlib.ExitStack() as held:
        probes = [held.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


def eventually(condition, patience_s=PATIENCE_S):
    """Whether the condition holds within that time."""
    deadline = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


class Counts:
    """What a daemon holds at a moment."""

    def __init__(self, lab):
        # Compiled programs are kept, with the constants that they have on the device.
        lab.admin.purge_cache()
        stats = lab.admin.stats()
        devices = lab.admin.devices()
        self.sessions, self.arrays = stats.sessions, stats.arrays
        self.queued = sum(device.queued for device in devices)
        self.device_bytes = sum(device.memory_used_bytes for device in devices)
        self.open_files = lab.open_files()
        self.resident_bytes = lab.resident_bytes()

    def growth_since(self, before):
        slack = {"open_files": OPEN_FILES_SLACK, "resident_bytes": RESIDENT_SLACK_BYTES,
                 "device_bytes": 0 if programs.GPU == "none" else WORKSPACE_BYTES}
        return "; ".join(f"{name} {getattr(before, name)} -> {now}" for name, now in vars(self).items()
                         if now > getattr(before, name) + slack.get(name, 0))


class Lab:
    def __init__(self, binary, flags=(), open_files=0, folder=None):
        self.binary = pathlib.Path(binary)
        self._owned = None if folder else tempfile.TemporaryDirectory(prefix="acceld-attack-")
        self.folder = pathlib.Path(folder or self._owned.name)
        self.folder.chmod(0o711)
        self.socket_path = str(self.folder / "acceld.sock")
        self.log_path = self.folder / "acceld.log"
        self.tokens = {name: f"{name}-{os.urandom(12).hex()}" for name in USERS}
        tokens_path = self.folder / "tokens"
        tokens_path.write_text("".join(f"{name} user sha256:{hashlib.sha256(token.encode()).hexdigest()}\n"
                                       for name, token in self.tokens.items()))
        tokens_path.chmod(0o600)
        self.port, self.metrics_port = free_ports(2)
        self._flags, self._open_files = list(flags), open_files
        self.clients = []
        self.start()

    def start(self):
        settings = {
            "--listen": [f"unix:{self.socket_path}", f"127.0.0.1:{self.port}"],
            "--metrics-listen": [f"127.0.0.1:{self.metrics_port}"],
            "--access-tokens": [str(self.folder / "tokens")],
            "--cache-dir": [str(self.folder / "cache")],
            "--cuda-devices": [programs.GPU], "--cuda-memory": ["2GiB"],
            "--cpu-devices": ["1"], "--device-memory": ["2GiB"], "--prepared-memory": ["0"],
            "--host-memory": ["256MiB"], "--shutdown-grace": ["1"], "--stall-timeout": ["1"],
            "--config": ["/dev/null"],
        }
        argv = [str(self.binary)]
        for name, values in settings.items():
            if name not in self._flags:
                argv += [word for value in values for word in (name, value)]
        argv += self._flags
        before = None
        if self._open_files:
            # A child takes its limits from its parent.
            before = resource.getrlimit(resource.RLIMIT_NOFILE)
            argv = ["prlimit", f"--nofile={self._open_files // 2}:{self._open_files}", *argv]
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(argv, stdout=log, stderr=log)
        # gRPC tries again only after a while when there is no socket yet.
        eventually(lambda: not self.is_alive() or self._listens(), PATIENCE_S * 2)
        self.admin = self.client()
        if not self.admin.wait_until_ready(PATIENCE_S * 2, self.process):
            raise Failed(f"the daemon does not start: {self.log()[-600:]}")

    def _listens(self):
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(self.socket_path) == 0

    def client(self, user=None, tcp=False, token=None):
        """A connection of its own. Without a user and a token it shows none."""
        target = f"127.0.0.1:{self.port}" if tcp else f"unix:{self.socket_path}"
        client = Client(target, token if token is not None else self.tokens.get(user, ""))
        self.clients.append(client)
        return client

    def close_clients(self):
        """All but the admin's."""
        for client in self.clients:
            if client is not self.admin:
                client.close()
        self.clients = [self.admin]

    def log(self):
        return self.log_path.read_text(errors="replace")

    def is_alive(self):
        return self.process.poll() is None

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def processor_s(self):
        """Processor time of the daemon so far."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def metrics(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=PATIENCE_S) as page:
            return page.read().decode()

    def serves(self):
        """That somebody who has nothing to do with the attack gets what he computes."""
        bob = self.client("bob")
        try:
            result = bob.run(programs.DOUBLE, [programs.floats(1, 2)], timeout_s=PATIENCE_S)
            expect(programs.values_of(result.results[0].data) == [2, 4], "a wrong result for a user who works")
        finally:
            bob.close()

    def stop(self, patience_s=PATIENCE_S):
        """Asks the daemon to end, whoever is connected; the seconds that it took, or None when it had to be killed."""
        begin = time.monotonic()
        if self.is_alive():
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=patience_s)
            return time.monotonic() - begin
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None
        finally:
            self.close_clients()
            self.admin.close()
            self.clients = []

    def disconnect(self):
        """Nobody is connected any more."""
        self.close_clients()
        self.admin.close()

    def clean_up(self):
        if self._owned:
            self._owned.cleanup()


def require_root(why):
    if os.geteuid() != 0:
        raise Skipped(f"needs root: {why}")
