"""The commands of docs/at-scale.md, run as they stand there: the blocks ```sh runnable and ```sh engines, in order, in a
folder that holds the files of the demonstration, with psql pointed at a server of the check's own."""
import os, pathlib, re, subprocess, sys

import pools
from engines import PostgreSQL

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "at-scale.md"
BLOCK = re.compile(r"^```sh (?:runnable|engines)\n(.*?)^```", re.M | re.S)


def check(workshop):
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    folder, programs = workshop.folder / "documented", workshop.folder / "programs"
    programs.mkdir()
    (programs / "equipoise").symlink_to(workshop.program.resolve())
    pools.run(workshop.program, "demo", "--only-data", "--rows", 20000, "--dir", folder, "--quiet")
    server = PostgreSQL(folder, workshop.key)
    environment = {**os.environ, "PATH": f"{programs}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
                   "PGHOST": str(server.folder), "PGUSER": "check", "PGDATABASE": "postgres", "SPARK_LOCAL_IP": "127.0.0.1"}
    try:
        done = subprocess.run(["bash", "-euxo", "pipefail", "-c", "\n".join(blocks)], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
    finally:
        server.close()
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    return f"documented: {len(blocks)} blocks of docs/at-scale.md, work"
