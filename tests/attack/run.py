#!/usr/bin/env python3
"""Attacks on a daemon of their own by unprivileged clients: one line for each, and what revision 7c1951c did.

    run.py [--daemon BINARY] [--only NAME] [--list] [--quick] [--sanitized]

The daemon is `acceld` of build/dev by default; its programs run on the CPU, or on the GPU that ACCELD_DEVICE names
("cuda:0"). --quick leaves out what takes more than seconds. --sanitized is for a daemon built with sanitizers, which is
slow and keeps freed memory: an attack has found something if the daemon ends, does not end when asked to, or its log has
a sanitizer's report; other findings, which bounds of time and memory may be, are printed and count as "bounded". Exit code 1: an attack has found something. Everything is on
unix sockets in temporary folders and on 127.0.0.1. Some attacks need root, to be other users; they say so elsewhere.
The distribution's Python has what is needed (python3-grpcio, protoc).
"""

import argparse
import pathlib
import re
import sys
import time
import traceback

import attacks
import lab as lab_module
import one_client_starves_others  # noqa: F401
import parser_recursion_and_expansion  # noqa: F401
import path_traversal_in_bundles_and_cache  # noqa: F401
import pointers_and_sizes_from_the_wire  # noqa: F401
import pools_taken_whole  # noqa: F401
import programs
import shared_memory_names_and_seals  # noqa: F401
import unauthenticated_defaults  # noqa: F401
import work_without_end  # noqa: F401
from protocol import ROOT, Client, Session

SANITIZER_REPORT = re.compile(r"Sanitizer: |runtime error: ")


def be_a_client(socket_path, token, program, lease_ms):
    """For attacks that kill a client: runs an endless program until this process ends."""
    session = Session(Client(f"unix:{socket_path}", token), lease_ms=int(lease_ms))
    output = session.execute(session.register(programs.ENDLESS[program]), [session.put(programs.zeros(8))])
    session.await_(output, timeout_s=600)


def check_after(lab, before):
    """That the daemon lives, computes, and holds no more than before."""
    if not lab.is_alive():
        return "the daemon has ended"
    try:
        lab.serves()
    except Exception as error:  # pylint: disable=broad-except
        return f"a normal program does not work: {error}"
    lab.close_clients()
    growth = [""]

    def is_back():
        growth[0] = lab_module.Counts(lab).growth_since(before)
        return not growth[0]
    return "" if lab_module.eventually(is_back) else f"left behind: {growth[0]}"


def report_of_a_sanitizer(log):
    """Its first line, or nothing."""
    return next((line for line in log.splitlines() if SANITIZER_REPORT.search(line)), "")


def perform(attack, binary, sanitized):
    """Verdict and what is said of it."""
    begin = time.monotonic()
    lab = None
    try:
        lab = lab_module.Lab(binary, attack.flags, attack.open_files)
        lab.serves()
        lab.close_clients()
        before = lab_module.Counts(lab)
        outcome = attack.function(lab)
        trouble = check_after(lab, before)
        verdict, tried, answered = ("FAILED", outcome.tried, f"{outcome.answered}; {trouble}") if trouble else (
            "ok", outcome.tried, outcome.answered)
    except attacks.Skipped as why:
        verdict, tried, answered = "skipped", "nothing", str(why)
    except Exception as error:  # pylint: disable=broad-except
        what = str(error) if isinstance(error, attacks.Failed) else traceback.format_exc(limit=-3).replace("\n", " | ")
        died = "" if lab is None or lab.is_alive() else f" (the daemon has ended with {lab.process.poll()}: " \
            f"{lab.log()[-300:]!r})"
        verdict, tried, answered = "FAILED", "as its description says", what + died
    finally:
        if lab is not None:
            lab.disconnect()
            lived = lab.is_alive()
            if sanitized and lived and verdict == "FAILED":
                verdict = "bounded"
            if lab.stop() is None and verdict != "FAILED":
                verdict, answered = "FAILED", f"{answered}; the daemon did not end on SIGTERM"
            if report := report_of_a_sanitizer(lab.log()):
                verdict, answered = "FAILED", f"{answered}; {report}"
            lab.clean_up()
    return verdict, tried, answered, time.monotonic() - begin


def main():
    if len(sys.argv) == 6 and sys.argv[1] == "--client":
        be_a_client(*sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daemon", default=str(ROOT / "build/dev/bin/acceld"))
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="may be given several times")
    parser.add_argument("--list", action="store_true", help="says what there is, and attacks nothing")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--sanitized", action="store_true", help="the daemon was built with sanitizers")
    options = parser.parse_args()
    unknown = set(options.only) - {attack.name for attack in attacks.ATTACKS}
    if unknown:
        parser.error(f"no such attack: {', '.join(sorted(unknown))}")
    chosen = [attack for attack in attacks.ATTACKS
              if (not options.only or attack.name in options.only) and (attack.quick or not options.quick)]
    if options.list:
        for attack in chosen:
            print(f"{attack.name} [{attack.cve_class}] 7c1951c: {attack.before}")
        return 0
    if not pathlib.Path(options.daemon).exists():
        parser.error(f"no daemon at {options.daemon}")
    verdicts = attacks.Answers()
    for attack in chosen:
        verdict, tried, answered, took = perform(attack, options.daemon, options.sanitized)
        verdicts[verdict] += 1
        print(f"{verdict:7} {attack.name} [{attack.cve_class}] 7c1951c: {attack.before} | tried: {tried} | "
              f"now: {answered} | {took:.1f} s", flush=True)
    print(f"{len(chosen)} attacks: {verdicts}")
    return 1 if verdicts["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main())
