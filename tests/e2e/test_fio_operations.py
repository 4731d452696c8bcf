# SPDX-License-Identifier: GPL-3.0-or-later
"""The same workload on the engine and on fio: do they issue the same operations?

Each case is an fio command line that both are given as it is. What each issued is compared by number,
bytes, mix, distinct offsets, where in the region they lie, how often the most frequent come, what
follows on what, sizes and alignment. Both draw from generators of their own, so what is drawn is
compared by tests of chance: FAR standard deviations is what passes, once in some hundred thousand
comparisons of equals. Both are seeded, so a case passes or fails for good.

A member of `differs` names a comparison that is not to agree, and why; it must then differ.
`pytest -s` prints the table.
"""
import collections
import dataclasses
import math
import random
import statistics

import pytest

import operations
from operations import DATA

FAR = 4.4
MIB = 1 << 20

pytestmark = pytest.mark.skipif(operations.missing() is not None,
                                reason=operations.missing() or "")


@dataclasses.dataclass
class Case:
    options: str
    region: int = 64 * MIB  # bytes that offsets lie in
    once: bool = False      # each block once: as many distinct offsets to the last one
    reads: float = None     # of a mix, the share of the operations that are reads
    clump: int = 1          # operations that one draw decides about
    slack: int = 1          # operations that a job of one of them may have more
    drawn_sizes: bool = False  # the bytes of so many operations are chance's
    drifts: bool = False    # sequential with drawn sizes: half way is not at one place
    jobs: int = 1
    differs: dict = dataclasses.field(default_factory=dict)


# So many operations, whatever their size.
MANY = "--io_size=4G --number_ios=16000"

# How each block is touched once.
ONCE = {"order": "where a block is taken already fio goes on to the next one that is free, so that "
                 "late in a pass neighbours follow each other; ours never repeats and draws on"}

EARLY = "fio has one map for blocks of both sizes, soon finds no free one and ends; ours goes on"
ENDS = ("fio ends where a request ends with the region, and begins again where it ends before; ours "
        "always begins again")

CASES = {
    "read": Case("--rw=read --bs=4k --size=64M", once=True),
    "write, large, depth 16": Case("--rw=write --bs=128k --size=64M --iodepth=16", once=True),
    "randread, depth 1": Case("--rw=randread --bs=4k --size=64M", once=True, differs=ONCE),
    "randread, depth 128": Case("--rw=randread --bs=4k --size=64M --iodepth=128", once=True, differs=ONCE),
    "randwrite, depth 16": Case("--rw=randwrite --bs=8k --size=64M --iodepth=16", once=True, differs=ONCE),
    "trim": Case("--rw=trim --bs=64k --size=64M", once=True),
    "randtrim": Case("--rw=randtrim --bs=4k --size=64M", once=True, differs=ONCE),
    "rw, 30 % reads": Case("--rw=rw --rwmixread=30 --bs=4k --size=64M", reads=0.3),
    "randrw, 70 % reads": Case("--rw=randrw --rwmixread=70 --bs=4k --size=256M --iodepth=16",
                               region=256 * MIB, reads=0.7, once=True, differs=ONCE),
    "randrw, no reads": Case("--rw=randrw --rwmixread=0 --bs=4k --size=64M", once=True, reads=0.0, differs=ONCE),
    "randrw, all reads": Case("--rw=randrw --rwmixread=100 --bs=4k --size=64M", once=True,
                              reads=1.0, differs=ONCE),
    "norandommap": Case("--rw=randread --norandommap --bs=4k --size=64M"),
    "bs of each direction": Case("--rw=randrw --norandommap --bs=4k,16k --size=128M",
                                 region=128 * MIB, reads=0.5, slack=200),
    "bs of each direction, each block once": Case(
        "--rw=randrw --bs=4k,16k --size=64M", reads=0.5, slack=200,
        differs={"operations": EARLY, "bytes": EARLY, "distinct": EARLY, "popularity": EARLY}),
    "offset": Case("--rw=randread --bs=4k --offset=16M --size=32M", region=48 * MIB, once=True, differs=ONCE),
    "holes": Case("--rw=read:12k --bs=4k --size=64M --iodepth=16"),
    "holes in a mix": Case(
        "--rw=rw:8k --bs=4k --size=64M", reads=0.5,
        differs={"operations": ENDS, "bytes": ENDS, "offsets": ENDS, "popularity": ENDS}),
    "syncs": Case("--rw=randwrite --norandommap --bs=4k --size=64M --fsync=10 --fdatasync=7"),
    "every eighth drawn": Case("--rw=randread:8 --norandommap --bs=4k --size=64M", clump=8),
    "the same eight times": Case(
        "--rw=randwrite:8 --rw_sequencer=identical --norandommap --bs=4k --size=64M", clump=8),
    "percentage_random": Case(
        "--rw=randread --norandommap --percentage_random=40 --bs=4k --size=64M", clump=3),
    "percentage_random of each direction": Case(
        "--rw=randrw --norandommap --percentage_random=20,80 --bs=4k --size=64M", reads=0.5,
        clump=5),
    "percentage_random, each block once": Case(
        "--rw=randwrite --percentage_random=70 --bs=4k --size=64M", clump=2),
    "percentage_random with a distribution": Case(
        "--rw=randread --percentage_random=50 --bs=4k --size=64M "
        "--random_distribution=zipf:1.2:0.3", clump=3),
    "zipf": Case("--rw=randread --bs=4k --size=64M --random_distribution=zipf:1.2:0.5"),
    "zipf, below 1, any center": Case(
        "--rw=randwrite --bs=4k --size=64M --random_distribution=zipf:0.8",
        differs={"offsets": "where the most frequent lies is drawn",
                 "offsets, half way": "where the most frequent lies is drawn"}),
    "pareto": Case("--rw=randrw --bs=4k --size=64M --iodepth=16 "
                   "--random_distribution=pareto:0.3:0.25", reads=0.5),
    "normal": Case("--rw=randread --bs=4k --size=61M --random_distribution=normal:20",
                   region=61 * MIB),
    "zoned": Case("--rw=randrw --rwmixread=30 --bs=4k --size=64M "
                  "--random_distribution=zoned:60/10:30/20:8/30:2/40", reads=0.3),
    "zoned in bytes": Case("--rw=randread --bs=4k --size=64M "
                           "--random_distribution=zoned_abs:60/8M:40/40M"),
    "sizes of a range": Case(f"--rw=randread --norandommap --bsrange=1k-16k --size=64M {MANY}",
                             drawn_sizes=True),
    "sizes of a range, each byte once": Case("--rw=randwrite --bsrange=4k-32k --size=64M",
                                             slack=200),
    "sizes by share": Case("--rw=randwrite --norandommap --bssplit=4k/60:16k/30:64k/10 --size=64M "
                           f"--iodepth=16 {MANY}", drawn_sizes=True),
    "sizes by share, of each direction": Case(
        "--rw=randrw --rwmixread=70 --norandommap --bssplit=4k/60:64k/40,8k/100 --size=256M "
        f"{MANY}", region=256 * MIB, reads=0.7, drawn_sizes=True),
    "sizes of any bytes": Case(
        "--rw=randread --norandommap --bsrange=1k-16k --bs_unaligned=1 --direct=0 --size=64M "
        f"{MANY}", drawn_sizes=True),
    "sequential, sizes of a range": Case("--rw=write --bsrange=1k-16k --size=64M", slack=500,
                                         drifts=True),
    "blocks larger than requests": Case(
        "--rw=randread --norandommap --bs=4k --blockalign=16k --size=64M"),
    "blocks smaller than requests": Case(
        "--rw=randread --norandommap --bs=16k --blockalign=4k --size=64M"),
    "io_size beyond size": Case("--rw=randwrite --norandommap --bs=4k --size=16M --io_size=64M",
                                region=16 * MIB),
    "number_ios": Case("--rw=randread --norandommap --bs=4k --size=64M --number_ios=10000"),
    "loops": Case("--rw=write --bs=4k --size=16M --loops=3", region=16 * MIB, once=True),
    "in batches, refilled when low": Case(
        "--rw=randrw --norandommap --bs=4k --size=64M --iodepth=16 --iodepth_batch=4 --iodepth_low=4",
        reads=0.5),
    "zones at an offset": Case("--rw=randread --bs=4k --offset=16M --size=32M "
                               "--random_distribution=zoned:50/10:0/40:50/20", region=48 * MIB),
    "jobs, each its part": Case("--rw=randread --bs=4k --size=8M --numjobs=4 "
                                "--offset_increment=8M", region=32 * MIB, once=True, jobs=4),
    "jobs, half of each its neighbour's": Case(
        "--rw=randwrite --norandommap --bs=4k --size=8M --numjobs=4 --offset_increment=4M",
        region=20 * MIB, jobs=4),
    "jobs on one file": Case("--rw=randread --bs=4k --size=16M --numjobs=4", region=16 * MIB,
                             once=True, jobs=4),
}


def chance(share, ours, theirs):
    """How far two shares of so many may be apart."""
    return FAR * math.sqrt(share * (1 - share) * (1 / ours + 1 / theirs))


def of_kind(found, kind):
    return [o for o in found if o.kind == kind]


class Table:
    """Rows of a case: what was compared, of both, what is allowed, and whether it agrees."""

    def __init__(self, case):
        self.case = case
        self.rows = []

    def row(self, what, ours, theirs, apart, allowed):
        self.rows.append((what, ours, theirs, apart, allowed, apart <= allowed))

    def kinds(self, what, ours, theirs, statistic):
        """The farthest off of the kinds of operations."""
        far = max(statistic(of_kind(ours, kind), of_kind(theirs, kind)) for kind in DATA)
        self.row(what, "", "", max(far, 0.0), FAR)

    def compare(self, ours, theirs):
        case = self.case
        largest = max(o.length for o in ours)
        shares = [len(of_kind(found, "read")) / len(found) for found in (ours, theirs)]
        distinct = [len({o.offset for o in found}) for found in (ours, theirs)]
        bytes_ = [sum(o.length for o in found) for found in (ours, theirs)]
        self.row("operations", len(ours), len(theirs), abs(len(ours) - len(theirs)),
                 case.slack * case.jobs)
        self.row("bytes", *bytes_, abs(bytes_[0] - bytes_[1]),
                 FAR * math.sqrt(2 * len(ours)) * statistics.stdev(o.length for o in ours)
                 if case.drawn_sizes else largest * case.jobs)
        if case.reads is not None:
            for who, share in zip(("mix of ours", "mix of fio"), shares):
                self.row(who, f"{share:.4f}", f"{case.reads}", abs(share - case.reads),
                         chance(case.reads, len(ours), math.inf))
        self.row("distinct", *distinct, abs(distinct[0] - distinct[1]),
                 0 if case.once else 3 * math.sqrt(max(distinct) * case.clump))
        self.kinds("offsets", ours, theirs, lambda a, b: operations.two_samples(
            operations.binned(a, case.region), operations.binned(b, case.region), case.clump))
        self.kinds("popularity", ours, theirs, lambda a, b: operations.two_samples(
            operations.popularity(a), operations.popularity(b), case.clump))
        if case.jobs == 1:
            self.order(ours, theirs)
        self.kinds("sizes", ours, theirs, lambda a, b: operations.two_samples(
            operations.sizes(a), operations.sizes(b)))
        aligned = [operations.alignment(found) for found in (ours, theirs)]
        self.row("alignment", *aligned, abs(aligned[0] - aligned[1]), 0)

    def order(self, ours, theirs):
        """Of several jobs it is nobody's."""
        case, half = self.case, min(len(ours), len(theirs)) // 2
        if not case.drifts:
            self.kinds("offsets, half way", ours[:half], theirs[:half],
                       lambda a, b: operations.two_samples(operations.binned(a, case.region),
                                                           operations.binned(b, case.region),
                                                           case.clump))
        self.kinds("order", ours, theirs, lambda a, b: operations.two_samples(
            operations.follows(a), operations.follows(b), case.clump))

    def wrong(self):
        return [row for row in self.rows if row[5] == (self.why(row[0]) is not None)]

    def why(self, what):
        return self.case.differs.get(what)

    def text(self, name):
        lines = [f"\n{name}: {self.case.options}",
                 f"  {'':20}{'ours':>12}{'fio':>12}{'apart':>12}{'allowed':>12}"]
        for what, ours, theirs, apart, allowed, good in self.rows:
            note = "" if good else "  DIFFERS"
            if self.why(what):
                note = f"  {'agrees, but was to differ' if good else 'differs'}: {self.why(what)}"
            lines.append(f"  {what:20}{ours!s:>12}{theirs!s:>12}{apart:>12.5g}{allowed:>12.5g}{note}")
        return "\n".join(lines)


@pytest.mark.parametrize("name", CASES)
def test_operations_are_fios(name, directory):
    case = CASES[name]
    ours = [o for job in operations.of_engine(case.options, directory) for o in job]
    if case.jobs > 1:
        if operations.fuse.missing():
            pytest.skip(operations.fuse.missing())
        theirs = operations.of_fio_jobs(case.options, directory, case.region)
    else:
        theirs = operations.of_fio(case.options, directory, case.region)
    table = Table(case)
    for kind in ("sync", "datasync"):
        counts = [len(of_kind(found, kind)) for found in (ours, theirs)]
        table.row(kind, *counts, abs(counts[0] - counts[1]), 0)
    table.compare(*([o for o in found if o.kind in DATA] for found in (ours, theirs)))
    print(table.text(name))
    assert not table.wrong(), table.text(name)


# ---- jobs of several files ----

# In order: what fio issues, to the byte.
IN_ORDER = [
    "--rw=read --bs=4k --size=40k --nrfiles=3",
    "--rw=write --bs=4k --size=400k --nrfiles=7 --file_service_type=roundrobin:3",
    "--rw=read --bs=4k --size=120k --nrfiles=4 --file_service_type=sequential",
    "--rw=read --bs=4k --size=120k --nrfiles=5 --openfiles=2",
    # Not all of size is whole blocks: else fio leaves out the sync that is due at the very end.
    "--rw=write --bs=4k --size=50k --nrfiles=3 --fsync=2",
    "--rw=read --bs=4k --nrfiles=4 --filesize=16k --size=40k",
    "--rw=read:4k --bs=4k --size=120k --nrfiles=3 --openfiles=1",
    "--rw=read --bs=4k --size=40k --nrfiles=3 --loops=3",
    "--rw=write --bs=4k --size=64k --nrfiles=4 --io_size=24k",
]


@pytest.mark.parametrize("options", IN_ORDER)
def test_files_are_served_as_fio_does(options, directory):
    ours, our_order = operations.of_engine_files(options, directory)
    theirs, their_order = operations.of_fio_files(options, directory)
    assert our_order == their_order
    assert [[o for o in found if o.kind in DATA] for found in ours] == [
        [o for o in found if o.kind in DATA] for found in theirs]
    assert [[o.kind for o in found] for found in ours] == [[o.kind for o in found] for found in theirs]


# Drawn: as many to each file, as often another one than before, each block of each file once.
DRAWN = {
    "--rw=randread --bs=4k --size=32M --nrfiles=8 --file_service_type=random": 1,
    "--rw=randwrite --bs=4k --size=32M --nrfiles=8 --file_service_type=random:4": 4,
    "--rw=randread --bs=4k --size=32M --nrfiles=8 --openfiles=3 --file_service_type=random": 1,
    "--rw=randrw --bs=4k --size=32M --nrfiles=8": 1,
}


@pytest.mark.parametrize("options", DRAWN)
def test_files_are_drawn_as_fio_does(options, directory):
    found = [operations.of_engine_files(options, directory), operations.of_fio_files(options, directory)]
    clump = DRAWN[options]
    half = [collections.Counter(order[:len(order) // 2]) for _, order in found]
    stays = [collections.Counter(a == b for a, b in zip(order, order[1:])) for _, order in found]
    assert len(found[0][1]) == len(found[1][1]) == 8192
    for files, _ in found:
        assert [len({o.offset for o in file}) for file in files] == [1024] * 8
    if "openfiles" in options: # those that are in service first
        assert set(half[0]) == set(half[1]) or max(map(len, half)) <= 8
        early = [collections.Counter(order[:1500]) for _, order in found]
        assert [len(e) for e in early] == [3, 3]
    else:
        assert operations.two_samples(*half, clump) <= FAR
    assert operations.two_samples(*stays, clump) <= FAR


def test_sizes_of_files_are_drawn_as_fio_does(directory):
    """Evenly, multiples of bs, within the bounds."""
    options = "--rw=read --bs=4k --nrfiles=400 --filesize=4k-256k"
    sizes = [[len(file) for file in of(options, directory)[0]]
             for of in (operations.of_engine_files, operations.of_fio_files)]
    assert [len(s) for s in sizes] == [400, 400]
    assert all(min(s) >= 1 and max(s) <= 64 for s in sizes)
    binned = [collections.Counter(n // 8 for n in s) for s in sizes]
    assert operations.two_samples(*binned) <= FAR


# ---- the comparison itself ----


def mutants():
    """What is wrong, and the comparison that must see it."""
    def each(change):
        return lambda found: [change(i, o) for i, o in enumerate(found)]

    return {
        "one operation in a thousand is missing": ("operations", lambda found: [
            o for i, o in enumerate(found) if i % 1000]),
        "a hundredth is longer": ("bytes", each(
            lambda i, o: o._replace(length=8192) if i % 100 == 0 else o)),
        "reads instead of a few writes": ("mix of ours", each(
            lambda i, o: o._replace(kind="read") if i % 16 == 0 else o)),
        "a few blocks twice": ("distinct", each(
            lambda i, o: o._replace(offset=o.offset // MIB * MIB) if i % 20 == 0 else o)),
        "the last sixteenth is never touched": ("offsets", each(
            lambda i, o: o._replace(offset=o.offset % (60 * MIB)))),
        "the first blocks come last": ("offsets, half way", lambda found: sorted(
            found, key=lambda o: o.offset < 4 * MIB)),
        "one block comes often": ("popularity", each(
            lambda i, o: o._replace(offset=MIB) if i % 100 == 0 else o)),
        "pairs of neighbours": ("order", each(
            lambda i, o: o._replace(offset=i // 2 * 8192 % (64 * MIB) + i % 2 * 4096))),
        "some are short": ("sizes", each(
            lambda i, o: o._replace(length=2048) if i % 100 == 0 else o)),
        "one is misaligned": ("alignment", each(
            lambda i, o: o._replace(offset=o.offset + 512) if i == 5000 else o)),
    }


@pytest.mark.parametrize("wrong", mutants())
def test_each_comparison_can_fail(wrong):
    what, mutate = mutants()[wrong]
    chance_of = random.Random(1)

    def drawn():
        return [operations.Operation(chance_of.choice(("read", "write")),
                                     chance_of.randrange(16384) * 4096, 4096)
                for _ in range(16384)]

    good, bad = Table(Case("", reads=0.5)), Table(Case("", reads=0.5))
    ours, theirs = drawn(), drawn()
    good.compare(ours, theirs)
    assert not good.wrong(), good.text("nothing is wrong")
    bad.compare(mutate(ours), theirs)
    assert what in [row[0] for row in bad.wrong()], bad.text(wrong)


# ---- the shipped program ----


def shipped(options):
    def whole(path):
        return operations.definition(options, path,
                                     factors={"ioengine": ["io_uring", "threads"]})
    return whole


@pytest.mark.skipif(operations.fuse.missing() is not None, reason=operations.fuse.missing() or "")
@pytest.mark.parametrize("options", [
    "--rw=randrw --rwmixread=70 --bs=4k,8k --size=8M",
    "--rw=randread --bs=4k --size=8M --iodepth=16",
    "--rw=randrw --bs=4k --size=8M --random_distribution=zipf:1.2",
    "--rw=randwrite:8 --bs=4k --size=8M --norandommap --iodepth=4",
    "--rw=randrw --bsrange=4k-16k --size=8M --percentage_random=50",
    "--rw=write:4k --bssplit=4k/50:64k/50 --size=8M --fsync=10",
])
def test_the_shipped_engine_issues_what_the_tool_says(options, directory):
    """Seen from beneath, on both backends: at depth 1 in this order, else all of them."""
    told = [o for o in operations.of_engine(options, directory)[0] if o.kind in DATA]
    arrived, samples = operations.of_shipped_engine(shipped(options), directory)
    data = [o for o in arrived if o.kind in DATA]
    assert {sample["backend"] for sample in samples} == {"io_uring", "threads"}
    for place, sample in enumerate(samples):
        end = len(data) - (len(samples) - 1 - place) * len(told)
        seen, expected = data[end - len(told):end], list(told)
        if "--iodepth" in options:
            seen, expected = sorted(seen), sorted(expected)
        assert seen == expected, sample["backend"]
