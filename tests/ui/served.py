"""A folder that `equipoise ui` serves, and requests to it: what the tests share."""
import concurrent.futures, http.client, json, os, pathlib, re, subprocess, tempfile, time

PATIENCE = 60  # seconds; machines are busy


def wait_until(holds, what):
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(0.02)


class Served:
    """with Served(program) as ui: ui.get("/") …; ends the server by its id."""

    def __init__(self, program, folder=None, *options):
        self.kept = tempfile.TemporaryDirectory() if folder is None else None
        self.folder = pathlib.Path(folder or self.kept.name)
        self.program, self.options = program, options

    def __enter__(self):
        self.start()
        return self

    def start(self):
        self.server = subprocess.Popen([self.program, "ui", str(self.folder), "--no-open", *self.options],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.server.stdout.readline()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{64})\n", line)
        assert found, f"no link: {line!r}"
        self.port, self.token, self.cookie = int(found[1]), found[2], None

    def __exit__(self, *_):
        if self.server.poll() is None:
            self.server.terminate()
        self.server.wait(PATIENCE)
        self.server.stdout.close()
        if self.kept:
            self.kept.cleanup()

    def enter(self):
        status, headers, _ = self.ask("GET", f"/?token={self.token}")
        assert status == 200, status
        self.cookie = headers["Set-Cookie"].split(";")[0]
        return headers["Set-Cookie"]

    def ask(self, method, path, body=None, timeout=PATIENCE, **headers):
        """Headers of a well-behaved browser unless others are given; None leaves one out."""
        sent = {"Host": f"127.0.0.1:{self.port}", "Cookie": self.cookie,
                "Origin": None if method == "GET" else f"http://127.0.0.1:{self.port}"}
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            if value is not None:
                connection.putheader(name, value)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
        if body is not None and "Content-Length" not in sent:
            connection.putheader("Content-Length", str(len(body)))
        try:
            connection.endheaders(body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # an answer may come before all was sent
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), text

    def json(self, method, path, body=None):
        status, _, text = self.ask(method, path, body)
        return status, json.loads(text)

    def run(self, action, choices, seconds=400):
        """Runs an action to its end and gives (state of the job, its result)."""
        status, job = self.json("POST", "/api/run", {"action": action, "choices": choices})
        assert status == 202, (status, job)
        end = time.monotonic() + seconds
        while job["state"] == "running" and time.monotonic() < end:
            time.sleep(0.05)
            job = self.json("GET", "/api/state")[1]["job"]
        assert job["state"] != "running", "the job does not end"
        return job, self.json("GET", f"/api/results/{action}")[1]


def population(program, folder, rows=4000):
    """The files of the demonstration."""
    subprocess.run([program, "demo", "--only-data", "--quiet", "--dir", str(folder), "--rows", str(rows)],
                   check=True, stdout=subprocess.DEVNULL)


def main(tests, arguments):
    """Two at a time: some of them only wait."""
    program = os.path.abspath(arguments[1])
    chosen = [test for test in tests if len(arguments) < 3 or arguments[2] in test.__name__]

    def run(test):
        started = time.monotonic()
        test(program)
        print(f"ok   {test.__name__.replace('_', ' '):70} {time.monotonic() - started:5.1f} s", flush=True)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(run, test) for test in chosen]:
            done.result()
