#!/usr/bin/env python3
"""Runs pypjrt's conformance harness for PJRT plugins on the plugin and a daemon of its own.

    run_conform.py BIN PLUGIN       BIN has acceld and accelctl, PLUGIN is the shared object
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness  # noqa: E402

# What the harness asks for and acceld does not offer, which it counts apart from what fails.
UNSUPPORTED = {
    "buffer.external_reference_count", "buffer.opaque_device_pointer", "device.clear_memory_stats",
    "device.execute_context", "topology.client_free_compile", "topology.create_by_name", "topology.deserialize",
    "topology.fingerprint", "transfer.async_host_to_device",
}


def main() -> None:
    binaries, plugin = pathlib.Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        daemon = harness.Daemon(binaries, pathlib.Path(folder))
        report = pathlib.Path(folder) / "report.json"
        run = subprocess.run([sys.executable, "-m", "pypjrt.conform", plugin, "--json", str(report)],
                             env=dict(os.environ, ACCELD_ADDRESS=f"unix:{folder}/acceld.sock"), timeout=300)
        checks = {check["id"]: check for check in json.loads(report.read_text())["checks"]}
        daemon.process.kill()
    failed = [check for check in checks.values() if check["result"] == "fail"]
    unsupported = {name for name, check in checks.items() if check["result"] == "unsupported"}
    for check in failed:
        print(f"{check['id']}: {check['detail']}")
    print(f"{len(checks)} checks: {len(failed)} failed, {len(unsupported)} are not supported")
    if unsupported != UNSUPPORTED:
        sys.exit(f"expected not to be supported: {sorted(UNSUPPORTED ^ unsupported)} differ")
    sys.exit(bool(failed) or run.returncode != 0)


if __name__ == "__main__":
    main()
