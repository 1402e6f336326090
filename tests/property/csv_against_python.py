#!/usr/bin/env python3
"""The reader against Python's csv module on random files: same cells, whatever the size of the chunks.

    csv_against_python.py DUMP-CELLS [FILES]

Files are well-formed as RFC 4180 means it, with everything it allows: quotes, doubled quotes, quoted line ends,
CRLF, no final newline, blank lines, a byte-order mark.  Every third one is then damaged by one byte, and must be
refused or give the cells that Python finds in it when it reads strictly.
"""
import csv
import io
import pathlib
import random
import re
import subprocess
import sys
import tempfile


def random_cell(rng, delimiter):
    kind = rng.random()
    if kind < 0.3:
        return str(rng.randrange(10 ** rng.randrange(1, 9)))
    alphabet = "abc é" if kind < 0.7 else f'ab{delimiter}"\n\r é\''
    return "".join(rng.choice(alphabet) for _ in range(rng.randrange(0, 90 if kind > 0.95 else 8)))


def quoted(rng, cell, delimiter):
    if any(c in cell for c in (delimiter, '"', "\n", "\r")) or rng.random() < 0.2:
        return '"' + cell.replace('"', '""') + '"'
    return cell


def random_file(rng):
    delimiter = rng.choice(",;\t")
    columns = rng.randrange(2, 7)
    line_end = rng.choice(["\n", "\r\n"])
    rows = [[f"name {i}" for i in range(columns)]]
    rows += [[random_cell(rng, delimiter) for _ in range(columns)] for _ in range(rng.randrange(0, 40))]
    text = "".join(
        delimiter.join(quoted(rng, cell, delimiter) for cell in row) + line_end * (1 + (rng.random() < 0.05))
        for row in rows)
    if rng.random() < 0.3:
        text = text.rstrip("\r\n") if text[-3:-1] != '""' else text
    return delimiter, text


def read_with_python(data, delimiter):
    """Rows without blank lines, or None when Python refuses the file or we would for its shape."""
    try:
        text = io.StringIO(data.decode("utf-8", "surrogateescape").removeprefix("\ufeff"), newline="")
        rows = [row for row in csv.reader(text, delimiter=delimiter, strict=True) if row]
    except csv.Error:
        return None
    return rows if rows and all(len(row) == len(rows[0]) for row in rows) else None


def hexadecimal(rows):
    return [",".join(cell.encode("utf-8", "surrogateescape").hex() for cell in row) for row in rows]


def damage(rng, data):
    place = rng.randrange(len(data))
    return data[:place] + rng.choice([b'"', b",", b"\n", b"x", b""]) + data[place + 1:]


def main():
    program, files = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300
    rng = random.Random(1)
    refused = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "random.csv"
        for number in range(files):
            delimiter, text = random_file(rng)
            data = (b"\xef\xbb\xbf" if rng.random() < 0.1 else b"") + text.encode()
            damaged = number % 3 == 0
            if damaged:
                data = damage(rng, data)
            path.write_bytes(data)
            chunk = rng.choice([1, 7, 64, 100, 1000, 1 << 20])
            found = subprocess.run([program, path, delimiter, str(chunk)], capture_output=True, text=True)
            rows = read_with_python(data, delimiter)
            if damaged and found.returncode == 3:  # stricter than Python about quotes, never laxer
                refused += 1
                continue
            if damaged and re.search(rb"\r(?!\n)", data):  # Python ends a line there, we do not
                continue
            same = found.returncode == 0 and rows is not None and found.stdout.splitlines() == hexadecimal(rows)
            if not same:
                sys.exit(f"file {number} (chunks of {chunk}): {data!r}\npython: {rows}\nfound: {found.stdout}")
            compared += 1
    if refused == 0 or compared < files / 2:
        sys.exit(f"only {compared} files compared, {refused} refused: this test shows nothing")
    print(f"{compared} files with the same cells, {refused} damaged ones refused")


main()
