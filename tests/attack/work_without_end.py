"""Programs that never end: when nobody wants them any more, the device is free soon (CWE-400, CWE-835)."""

import os
import subprocess
import sys
import time

import programs
from attacks import Failed, Outcome, attack, expect
from lab import eventually
from protocol import Session, acceld_pb2

CLASS = "work without an end"
BEFORE = "deadlines, cancellation, a dead client and SIGTERM were ignored; a device was held for 23 s and more"
# 100 ms are promised on a machine that has time; tests share theirs.
FREE_WITHIN_S = 2.0


def _start(lab, session, text, timeout_ms=None):
    output = session.execute(session.register(text), [session.put(programs.zeros(8))], timeout_ms)
    expect(eventually(lambda: lab.admin.running()), "the program does not run")
    return output


def _measure_free(lab, since, what):
    expect(eventually(lambda: not lab.admin.running(), 20), f"{what}: the device is not free after 20 s")
    took = time.monotonic() - since
    expect(took < FREE_WITHIN_S, f"{what}: the device was free after {took:.2f} s")
    return took


def _by_all(lab, end, what):
    """Runs every endless program, ends it by `end(session, output)`, and measures until the device is free."""
    times = {}
    for name, text in programs.ENDLESS.items():
        session = Session(lab.client("ann"))
        output = _start(lab, session, text)
        since = end(session, output)
        times[name] = _measure_free(lab, since, f"{name} {what}")
        session.close()
    return Outcome(f"{len(times)} endless programs, {what}",
                   "device free after " + ", ".join(f"{name} {took * 1e3:.0f} ms" for name, took in times.items()))


@attack(CLASS, BEFORE)
def endless_programs_cancelled(lab):
    def cancel(session, output):
        session.cancel(output)
        since = time.monotonic()
        expect(session.fetch(output).code == 1, "not CANCELLED")
        return since
    return _by_all(lab, cancel, "cancelled")


@attack(CLASS, BEFORE)
def endless_programs_past_their_deadline(lab):
    times = {}
    for name, text in programs.ENDLESS.items():
        session = Session(lab.client("ann"))
        # So that it is compiled, and the deadline comes when it runs.
        session.cancel(_start(lab, session, text))
        _measure_free(lab, time.monotonic(), name)
        output = session.execute(session.register(text), [session.put(programs.zeros(8))], timeout_ms=300)
        ready = session.await_(output)
        expect(ready.code == 4, f"{name}: code {ready.code} {ready.message}")
        times[name] = _measure_free(lab, time.monotonic(), f"{name} past its deadline")
        session.close()
    return Outcome(f"{len(times)} endless programs with 300 ms",
                   "device free after " + ", ".join(f"{name} {took * 1e3:.0f} ms" for name, took in times.items()))


def _client_process(lab, name, lease_ms):
    return subprocess.Popen([sys.executable, os.path.join(os.path.dirname(__file__), "run.py"), "--client",
                             lab.socket_path, lab.tokens["ann"], name, str(lease_ms)])


@attack(CLASS, BEFORE)
def endless_programs_of_killed_clients(lab):
    times = {}
    for name in programs.ENDLESS:
        process = _client_process(lab, name, 0)
        expect(eventually(lambda: lab.admin.running()), f"{name} does not run")
        process.kill()
        since = time.monotonic()
        process.wait()
        times[name] = _measure_free(lab, since, f"{name} of a client that was killed")
    return Outcome(f"{len(times)} endless programs, their client killed with SIGKILL",
                   "device free after " + ", ".join(f"{name} {took * 1e3:.0f} ms" for name, took in times.items()))


@attack(CLASS, "the device was held until the program ended, whoever asked; nothing said what holds it")
def endless_program_of_a_session_that_is_killed(lab):
    """An admin sees what occupies the device, for whom and since when, and ends it."""
    session = Session(lab.client("ann"), lease_ms=30_000)
    _start(lab, session, programs.ENDLESS["window of 2^46"])
    session.break_off()
    found = lab.admin.running()
    expect(found and found[0].identity == "token:ann", f"not said whose it is: {found}")
    lab.admin.stub.KillSession(acceld_pb2.KillSessionRequest(session_id=found[0].session, reason="enough"))
    took = _measure_free(lab, time.monotonic(), "ended by an admin")
    return Outcome("an endless program of a session with a lease and no connection",
                   f"seen as {found[0].identity}'s; an admin ended it in {took * 1e3:.0f} ms")


@attack(CLASS, BEFORE + "; SIGTERM waited without bound", quick=False)
def sigterm_while_endless_programs_run(lab):
    times = {}
    for name, text in programs.ENDLESS.items():
        session = Session(lab.client("ann"))
        _start(lab, session, text)
        took = lab.stop()
        if took is None:
            lab.start()
            raise Failed(f"{name}: the daemon did not end within 20 s of SIGTERM")
        expect(took < 1 + FREE_WITHIN_S + 2, f"{name}: the daemon ended {took:.1f} s after SIGTERM, with 1 s of grace")
        times[name] = took
        lab.start()
    return Outcome(f"{len(times)} endless programs, then SIGTERM with 1 s of shutdown-grace",
                   "daemon ended after " + ", ".join(f"{name} {took:.1f} s" for name, took in times.items()))


@attack(CLASS, "a call of a library could not be stopped: 4 to 10 s for a product of 6000^2")
def large_product_cancelled(lab):
    session = Session(lab.client("ann"))
    output = _start(lab, session, programs.large_product())
    time.sleep(0.1)
    session.cancel(output)
    took = _measure_free(lab, time.monotonic(), "a product of 5000^2")
    session.close()
    return Outcome("a product of 5000^2, cancelled", f"device free after {took * 1e3:.0f} ms")


@attack(CLASS, "passes over one large function went on for nobody: after 90 s still, with 1.8 GiB")
def compile_of_a_client_that_died(lab):
    """What compiles for nobody ends within a pass, and the processor is free."""
    before = lab.processor_s()
    session = Session(lab.client("ann"))
    session.execute(session.register(programs.concatenation(100_000)), [session.put(programs.zeros(8))])
    expect(eventually(lambda: lab.processor_s() > before + 1), "it does not compile")
    session.break_off()
    left = time.monotonic()
    expect(eventually(lambda: lab.admin.stats().compiles_stopped == 1, 30), "it still compiles after 30 s")
    return Outcome("a concatenation of 100,000 parts; its client dies while it compiles",
                   f"the compile ended {time.monotonic() - left:.2f} s later")
