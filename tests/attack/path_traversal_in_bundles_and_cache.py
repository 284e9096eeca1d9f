"""Files and names of files that others have made or altered (CWE-22, CWE-59, CWE-345, CWE-379, CWE-502)."""

import os
import pathlib
import random
import struct
import subprocess

import programs
from attacks import Answers, Outcome, attack, expect
from lab import Lab, eventually, require_root
from protocol import acceld_pb2, status_of

CLASS = "path traversal in bundles and cache"
NOBODY = 65534
MAGIC = b"acceldb2"


def _sizes(folder):
    """Of every file below a folder. The daemon writes there: what goes meanwhile is left out."""
    sizes = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        try:
            if not path.is_dir() or path.is_symlink():
                sizes[path] = path.lstat().st_size
        except FileNotFoundError:
            continue
    return sizes


def _tree(folder):
    """Every file below a folder, with its size."""
    return {str(path.relative_to(folder)): size for path, size in _sizes(folder).items()}


def _entries(cache):
    """The files of compiled programs: not the key."""
    return [path for path, size in _sizes(cache).items() if size > 200 and path.is_file()]


def _run_number(lab, index, patience_s=30):
    reply = lab.client("ann").run(programs.number(index), [programs.zeros(64)], patience_s)
    expect(programs.values_of(reply.results[0].data) == [index + 0.5] * 64, "a wrong result")


def _restart(lab):
    expect(lab.stop() is not None, "the daemon did not end")
    lab.start()


@attack(CLASS, "held: cache signatures")
def altered_cache_entries(lab):
    dice, programs_made = random.Random(5), 12
    for index in range(programs_made):
        _run_number(lab, index)
    lab.stop()
    entries = _entries(lab.folder / "cache")
    expect(len(entries) >= programs_made, f"{len(entries)} entries on disk")
    for index, path in enumerate(entries):
        data = bytearray(path.read_bytes())
        if index % 4 == 0:
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        elif index % 4 == 1:
            del data[dice.randrange(len(data)):]
        elif index % 4 == 2:
            data += b"more"
        else:
            data = bytearray(entries[(index + 1) % len(entries)].read_bytes())
        path.write_bytes(data)
    lab.start()
    for index in range(programs_made):
        _run_number(lab, index)
    stats = lab.admin.stats()
    expect(stats.cache_hits_disk == 0, f"{stats.cache_hits_disk} altered entries were loaded")
    return Outcome(f"{len(entries)} cache entries with a bit changed, cut, extended or under another's name",
                   f"none loaded, {stats.cache_dropped} dropped, all compiled again")


@attack(CLASS, "paths were opened twice: what was checked was not what was read")
def links_in_the_cache(lab):
    secret = lab.folder / "secret"
    secret.write_bytes(b"s" * 4000)
    for index in range(6):
        _run_number(lab, index)
    lab.stop()
    entries = _entries(lab.folder / "cache")
    for index, path in enumerate(entries):
        path.unlink()
        if index % 3 == 0:
            path.symlink_to(secret)
        elif index % 3 == 1:
            os.mkfifo(path)
        else:
            path.mkdir()
    lab.start()
    for index in range(6):
        _run_number(lab, index)
    expect(secret.read_bytes() == b"s" * 4000, "what a link in the cache leads to was written")
    expect(lab.admin.stats().cache_hits_disk == 0, "a link was followed")
    return Outcome(f"{len(entries)} cache entries that are links to another file, pipes and folders",
                   "none followed or waited for; all compiled again")


@attack(CLASS, "a cache folder of another user, or writable by all, was used, with its key")
def folders_of_others_for_the_cache(lab):
    require_root("only root can make another user's folder")
    answers, flags = Answers(), ("--cache-dir",)
    for name, owner, mode in (("foreign", NOBODY, 0o755), ("open", 0, 0o777), ("link", None, None)):
        cache = lab.folder / name
        if owner is None:
            cache.symlink_to(lab.folder / "foreign")
        else:
            cache.mkdir()
            os.chown(cache, owner, owner)
            cache.chmod(mode)
        before = _tree(cache)
        try:
            other = Lab(lab.binary, (*flags, str(cache)))
        except Exception as error:  # pylint: disable=broad-except
            expect(str(cache) in str(error) or "cache" in str(error), f"{name}: {error}")
            answers[f"{name}: does not start"] += 1
            continue
        _run_number(other, 3)
        text = other.log()
        other.stop()
        other.clean_up()
        expect(_tree(cache) == before, f"{name}: the daemon wrote there: {_tree(cache)}")
        expect("cache" in text and str(cache) in text, f"{name}: the log does not say so")
        answers[f"{name}: works without it and says so"] += 1
    return Outcome("a cache folder of another user, one that all may write, and a link to such a one", str(answers))


def _bundle(*entries):
    return MAGIC + b"".join(struct.pack("<Q", len(entry)) + entry for entry in entries)


@attack(CLASS, "held: cache signatures")
def crafted_bundles(lab):
    accelctl = lab.binary.parent / "accelctl"
    key = lab.folder / "team.key"
    key.write_text(os.urandom(32).hex() + "\n")
    key.chmod(0o600)
    team = Lab(lab.binary, ("--remote-cache-key-file", str(key)))
    try:
        _run_number(team, 1)
        expect(eventually(lambda: len(_entries(team.folder / "cache")) >= 1), "nothing is kept on disk")
        outside = _tree(team.folder)
        exported = team.folder / "good.bundle"
        environment = {**os.environ, "ACCELD_ADDRESS": f"unix:{team.socket_path}"}

        def accelctl_cache(*words):
            return subprocess.run([str(accelctl), "cache", *words], env=environment, capture_output=True, text=True,
                                  timeout=60)
        done = accelctl_cache("export", str(exported))
        good = exported.read_bytes() if done.returncode == 0 else b""
        entry = good[len(MAGIC) + 8:] if good else b""
        dice, bundles = random.Random(6), {}
        bundles["a path for a name"] = _bundle(b"../../../../tmp/acceld-attack-was-here" + bytes(200))
        bundles["a long path for a name"] = _bundle(b"/etc/" + b"../" * 1000)
        bundles["a length of 2^63"] = MAGIC + struct.pack("<Q", 1 << 63) + b"x"
        bundles["a length of 4 GiB"] = MAGIC + struct.pack("<Q", (1 << 32) - 1) + b"x"
        bundles["no entry"] = MAGIC
        bundles["another magic"] = b"acceldb1" + bytes(100)
        bundles["an entry of nothing"] = _bundle(b"")
        bundles["zeros"] = _bundle(bytes(1 << 20))
        bundles["noise"] = _bundle(dice.randbytes(1 << 16))
        for index in range(40 if entry else 0):
            data = bytearray(entry)
            at = dice.randrange(min(len(data), 600))
            if index % 2:
                data[at] ^= 1 << dice.randrange(8)
            else:
                data[at:at + 6] = b"../../"
            bundles[f"a signed entry that was altered, {index}"] = _bundle(bytes(data))
        answers = Answers()
        cache_before = _tree(team.folder / "cache")
        path = team.folder / "crafted.bundle"
        for name, data in bundles.items():
            path.write_bytes(data)
            done = accelctl_cache("import", str(path))
            expect(done.returncode != 0 or name == "no entry" or "1 present" in done.stdout,
                   f"{name} was imported: {done.stdout}")
            answers["refused" if done.returncode else "nothing to take"] += 1
            expect(team.is_alive(), f"the daemon has ended on {name}")
        path.unlink()
        exported.unlink(missing_ok=True)
        expect(_tree(team.folder / "cache") == cache_before, "the cache folder has changed")
        left = {name for name in set(_tree(team.folder)) - set(outside) if not name.startswith("cache/")}
        expect(not left, f"files elsewhere: {left}")
        expect(not os.path.exists("/tmp/acceld-attack-was-here"), "a file outside of the cache folder")
        code = status_of(lambda: lab.client("ann").stub.ImportCacheEntry(
            iter([acceld_pb2.CacheBundleChunk(data=b"x")]), metadata=lab.client("ann").metadata))[0]
        expect(code == "PERMISSION_DENIED", f"a user may import: {code}")
        team.serves()
    finally:
        team.stop()
        team.clean_up()
    signed = "" if entry else f" (none of them signed: {done.stderr.strip()[:80]})"
    return Outcome(f"{len(bundles)} bundles with paths for names, absurd lengths and altered entries{signed}",
                   f"{answers}; no file was made, and a user who is no admin may import none")
