"""Tables for people: aligned text, printed row by row, or Markdown."""

from .outcome import median

COLUMNS = ("workload", "JAX", "acceld", "ratio", "on the device", "floor", "share")
COMPILE_COLUMNS = ("workload", "JAX", "acceld", "ratio", "JAX alone", "ratio", "acceld from disk")
FIRST_COLUMNS = ("workload", "JAX's first", "of it lowered", "from memory", "sooner", "from disk", "sooner",
                 "at most")
LEGEND = """Times are medians, with quartiles: from the call or submission until all results are there, operands on
the device. ratio: acceld to JAX, below 1 acceld is quicker. on the device: acceld's kernels alone, of one call. floor:
bytes at the rate of copies or operations at that of matrix products, the larger; share: the floor to acceld's time."""

COMPILE_LEGEND = """Medians of cold compiles, both sides in turns: JAX traces, lowers and compiles with its caches cleared; alone:
its compiling without the rest. acceld, whose cache is empty: from the submission until it is compiled. From disk: by a
daemon that was started again."""

FIRST_LEGEND = """Medians of first results of new processes, of programs that others compiled before, operands on the device. JAX's: from
the call of the jitted function (traced, lowered, found in its persistent cache, run); of it lowered: without tracing
and lowering. acceld's: from the program's text as bytes (parsed, submitted, found in the daemon's memory or, by a
daemon that was started again, on its disk, run). sooner: JAX's to acceld's; at most: JAX's to acceld's run on the
device alone, once all is warm."""


def time_text(ns):
    if ns is None:
        return ""
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}" if ns < 1000 * scale else f"{ns / scale:.0f} {unit}"
    return f"{ns:.0f} ns"


def times_text(times):
    if times is None:
        return ""
    median = time_text(times.median)
    unit = median.split()[1]
    scale = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}[unit]
    return f"{median} ({times.quartiles[0] / scale:.3g}-{times.quartiles[1] / scale:.3g})"


def row(outcome):
    if outcome.failure:
        return (outcome.name, times_text(outcome.jax), outcome.failure)
    ratio, share = outcome.ratio, outcome.floor_share
    return (outcome.name, times_text(outcome.jax), times_text(outcome.acceld), "" if ratio is None else f"{ratio:.2f}",
            time_text(outcome.acceld_device.median if outcome.acceld_device else None),
            time_text(outcome.floor_s * 1e9), "" if share is None else f"{share * 100:.0f} %")


def compile_row(outcome):
    ratios = ["" if one is None else f"{one:.2f}" for one in (outcome.compile_ratio, outcome.compile_ratio_alone)]
    return (outcome.name, time_text(outcome.jax_compile_ns), time_text(outcome.acceld_compile_ns), ratios[0],
            time_text(median(outcome.jax_compiles_alone)), ratios[1], time_text(outcome.acceld_disk_ns))


def first_row(outcome):
    def text(times):
        return "" if times is None else f"{times:.1f}" if times < 1000 else f"{times:.0f}"

    first = outcome.first
    return (outcome.name, time_text(first.median("jax")), time_text(first.median("jax_lowered")),
            time_text(first.median("acceld_memory")), text(first.sooner("memory")),
            time_text(first.median("acceld_disk")), text(first.sooner("disk")), text(outcome.soonest))


class Printer:
    """Prints rows of one table as they come."""

    def __init__(self, columns, markdown, first_width):
        self.markdown = markdown
        self.widths = [first_width, *(21 if name in ("JAX", "acceld") else max(9, len(name)) for name in columns[1:])]
        self.print(columns)
        if markdown:
            self.print(["---"] * len(columns))

    def print(self, cells):
        if self.markdown:
            cells = [cell.replace("|", "\\|").replace("\n", " ") for cell in cells]
            text = "| " + " | ".join(cells) + " |"
        else:
            text = "  ".join(cell.rjust(width) if i else cell.ljust(width)
                             for i, (cell, width) in enumerate(zip(cells, self.widths)))
        print(text.rstrip(), flush=True)
