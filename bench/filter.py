#!/usr/bin/env python3
"""Times `equipoise filter` against mawk: CSV to CSV, interleaved runs, least CPU time of each.

usage: bench/filter.py [--mb 1000] [--rounds 3] [--program build/equipoise] [--data data/adult.csv --sensitive race]

Without data the synthetic population is used. The big file lies in /dev/shm and is removed at the end."""
import argparse, os, shutil, subprocess, sys, tempfile, time

MAWK = ("mawk -F, '{s=0.01*$2+0.1*$6-0.02*$14; if($3==\"Private\")s+=1; if($5==\"Bachelors\")s-=1; "
        "if($11==\"Male\")s+=0.3; if(s>0.9)print}'")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--program", default="build/equipoise")
    parser.add_argument("--data")
    parser.add_argument("--sensitive", default="group")
    parser.add_argument("--ignore", default="admitted")
    return parser.parse_args()


def call(*words):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)


def grow(source, target, size):
    """The records of a file again and again, each with a number of its own, up to `size` bytes."""
    header, *records = open(source).read().splitlines()
    with open(target, "w") as out:
        written, number = out.write(f"number,{header}\n"), 0
        while written < size:
            for record in records:
                written += out.write(f"{number},{record}\n")
                number += 1
    return written


def run(command):
    """CPU seconds, wall seconds."""
    begun = time.monotonic()
    child = subprocess.Popen(command, shell=True, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"failed: {command}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begun


def memory(command):
    """Resident megabytes, by GNU time: a child of this process would count this process's own."""
    if not os.path.exists("/usr/bin/time"):
        return float("nan")
    words = ["/usr/bin/time", "-f", "%M", "sh", "-c", command]
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return int(done.stderr.split()[-1]) / 1024


def main():
    options = arguments()
    folder = tempfile.mkdtemp(prefix="equipoise-bench-", dir="/dev/shm")
    try:
        measure(options, folder)
    finally:
        shutil.rmtree(folder)


def measure(options, folder):
    program, big, key = options.program, f"{folder}/big.csv", f"{folder}/key"
    labelled = options.data
    if labelled is None:
        call(program, "demo", "--only-data", "--rows", 30000, "--dir", folder, "--quiet")
        labelled = f"{folder}/labelled.csv"
    learn = [program, "learn", labelled, "--sensitive", options.sensitive, "--ignore", options.ignore, "--quiet"]
    call(*learn, "--max-disclosure", 0.2, "--min-yield", 0.5, "-o", f"{folder}/direct.model")
    call(*learn, "--max-disclosure", 0.2, "--method", "tree", "--max-height", 15, "-o", f"{folder}/tree.model")
    call(program, "key", "new", key)
    size = grow(labelled, big, options.mb * 1_000_000)
    filters = f"exec {program} filter --id number --key-file {key} --quiet"
    commands = {
        "direct, 1 thread": f"{filters} --model {folder}/direct.model --threads 1 {big}",
        "direct, 2 threads": f"{filters} --model {folder}/direct.model --threads 2 {big}",
        "tree, 1 thread": f"{filters} --model {folder}/tree.model --threads 1 {big}",
    }
    if shutil.which("mawk"):
        commands["mawk"] = f"exec {MAWK} {big}"
    runs = {name: [] for name in commands}
    for _ in range(options.rounds):
        for name, command in commands.items():
            runs[name].append(run(command))
    print(f"{size / 1e6:.0f} MB, least of {options.rounds} interleaved runs")
    print(f"{'':20}{'CPU s':>8}{'MB/CPU s':>10}{'wall s':>8}{'MB memory':>11}{'x mawk':>8}")
    mawk = min(cpu for cpu, _ in runs["mawk"]) if "mawk" in runs else float("nan")
    for name, found in runs.items():
        cpu, wall = (min(column) for column in zip(*found))
        print(f"{name:20}{cpu:8.2f}{size / cpu / 1e6:10.0f}{wall:8.2f}{memory(commands[name]):11.0f}{mawk / cpu:8.1f}")


main()
