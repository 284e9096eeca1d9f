"""Programs of startup/ as new processes: when their first and last steps are done."""

import dataclasses
import json
import pathlib
import subprocess
import sys
import time

STARTUP = pathlib.Path(__file__).resolve().parent / "startup"
ENDS_AFTER_SECONDS = 600


@dataclasses.dataclass
class Launch:
    """Seconds of one process."""

    first_step: float  # from its start
    after_imports: float  # the part of it after the imports
    following: float  # from the first step to the last
    last_step: float  # from its start


def launch(script, environment, steps=1, count=1):
    """What so many processes of one script take that start at once; RuntimeError says what one complained of."""
    command = [sys.executable, STARTUP / f"{script}.py", str(steps)]
    start = time.monotonic()
    processes = [subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) for _ in range(count)]
    launches = []
    for process in processes:
        output, errors = process.communicate(timeout=ENDS_AFTER_SECONDS)
        if process.returncode != 0:
            raise RuntimeError(f"{script} ends with {process.returncode}: {errors[-600:]}")
        times = json.loads(output)
        launches.append(Launch(times["first_step"] - start, times["first_step"] - times["imported"],
                               times["last_step"] - times["first_step"], times["last_step"] - start))
    return launches
