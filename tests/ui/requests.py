#!/usr/bin/env python3
"""What the page refuses, over plain HTTP:   tests/ui/requests.py PROGRAM [TEST]"""
import hashlib, os, pathlib, socket, sys, tempfile, threading, time
from served import PATIENCE, Served, main, population, wait_until

SECRET = hashlib.sha256(b"a key").hexdigest()


def nothing_without_the_link(program):
    with Served(program) as ui:
        for method, path in (("GET", "/"), ("GET", "/app.js"), ("GET", "/api/state"), ("GET", "/api/events"),
                             ("GET", "/files/a.html"), ("PUT", "/api/files/a.csv"), ("POST", "/api/run"),
                             ("POST", "/api/quit"), ("OPTIONS", "/"), ("DELETE", "/"), ("GET", "/nowhere")):
            status, headers, _ = ui.ask(method, path, b"" if method != "GET" else None)
            assert status == 403, (method, path, status)
            assert "Set-Cookie" not in headers, path
        for token in ("", "0" * 64, ui.token[:-1], ui.token + "0", ui.token.upper()):
            if token != ui.token:
                assert ui.ask("GET", f"/?token={token}")[0] == 403, token
        for cookie in ("", f"equipoise-{ui.port}=", f"equipoise-{ui.port}=" + "0" * 64, f"equipoise-{ui.port}={ui.token}"):
            assert ui.ask("GET", "/", Cookie=cookie)[0] == 403, cookie
        assert ui.server.poll() is None


def the_link_works_once(program):
    with Served(program) as ui:
        assert ui.ask("GET", f"/api/state?token={ui.token}")[0] == 403
        assert ui.ask("POST", f"/?token={ui.token}", b"")[0] == 403
        set_cookie = ui.enter()
        assert "HttpOnly" in set_cookie and "SameSite=Strict" in set_cookie and "Path=/" in set_cookie, set_cookie
        assert ui.token not in set_cookie
        assert ui.ask("GET", "/")[0] == 200
        assert ui.ask("GET", f"/?token={ui.token}")[0] == 403
        assert ui.ask("GET", f"/?token={ui.token}", Cookie=None)[0] == 403


def another_host_is_refused(program):
    with Served(program) as ui:
        for host in ("evil.example", f"evil.example:{ui.port}", "127.0.0.1", f"127.0.0.1:{ui.port + 1}",
                     f"127.0.0.1:{ui.port}.evil.example", ""):
            assert ui.ask("GET", f"/?token={ui.token}", Host=host)[0] in (400, 403), host
        assert ui.ask("GET", f"/?token={ui.token}", Host=None)[0] in (400, 403)
        ui.enter()  # the link was not used up
        assert ui.ask("GET", "/api/state", Host="evil.example")[0] == 403
        assert ui.ask("GET", "/api/state", Host=f"localhost:{ui.port}")[0] == 200


def another_origin_is_refused(program):
    with Served(program) as ui:
        ui.enter()
        for origin in (None, "null", "http://evil.example", f"https://127.0.0.1:{ui.port}", f"http://127.0.0.1:{ui.port + 1}",
                       f"http://127.0.0.1:{ui.port}.evil.example"):
            for method, path in (("POST", "/"), ("POST", "/api/quit"), ("POST", "/api/run"), ("PUT", "/api/project"),
                                 ("PUT", "/api/files/a.csv")):
                assert ui.ask(method, path, b"{}", Origin=origin)[0] == 403, (method, path, origin)
        assert ui.ask("GET", "/api/state", Origin="http://evil.example")[0] == 403
        for site in ("cross-site", "same-site"):
            assert ui.ask("GET", "/api/state", Sec_Fetch_Site=site)[0] == 403, site
        assert ui.ask("GET", "/api/state", Sec_Fetch_Site="same-origin")[0] == 200
        assert not (ui.folder / "a.csv").exists() and ui.server.poll() is None


def every_answer_keeps_to_itself(program):
    with Served(program) as ui:
        answers = [ui.ask("GET", "/")]
        ui.enter()
        answers += [ui.ask("GET", path) for path in ("/", "/app.js", "/style.css", "/api/state", "/nowhere", "/api/results/learn")]
        answers += [ui.ask("POST", "/api/run", b"{"), ui.ask("DELETE", "/")]
        for status, headers, _ in answers:
            policy = headers["Content-Security-Policy"]
            assert "default-src 'self'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy, status
            assert headers["Cache-Control"] == "no-store" and headers["Referrer-Policy"] == "no-referrer", status
            assert headers["X-Content-Type-Options"] == "nosniff" and headers["X-Frame-Options"] == "DENY", status
            assert "Access-Control-Allow-Origin" not in headers, status


def no_path_leaves_the_folder(program):
    with tempfile.TemporaryDirectory() as outside, Served(program) as ui:
        ui.enter()
        secret = pathlib.Path(outside, "secret.html")
        secret.write_text("the secret outside")
        os.symlink(secret, ui.folder / "link.html")
        os.symlink(outside, ui.folder / "inner")
        os.mkdir(ui.folder / "folder.html")
        os.mkfifo(ui.folder / "pipe.html")
        paths = ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/files/../../../etc/passwd", "/files//etc/passwd",
                 f"/files/{secret}", f"/files/%2f{str(secret)[1:]}", "/files/link.html", "/files/inner/secret.html",
                 "/files/inner%2fsecret.html", "/files/..%2f" + str(secret)[1:], "/files/folder.html", "/files/pipe.html",
                 "/files/.", "/files/..", "/files/", "/files/%00link.html", "/files/.equipoise", "/files/a%00/../b",
                 "/files/" + "a" * 5000 + ".html", "/files/..%5csecret.html", "/files/%c0%af.html"]
        for path in paths:
            status, _, text = ui.ask("GET", path)
            assert status in (400, 403, 404, 414) and b"root:" not in text and b"secret" not in text, (path, status, text)
        for name in ("../a.csv", "%2e%2e%2fa.csv", "/etc/a.csv", ".hidden", "-o", "", "inner%2fa.csv", "a%0ab.csv", "link.html",
                     "folder.html", "equipoise-project.json", "a%5cb.csv", "%ff.csv", "b" * 250 + ".csv"):
            status, _, _ = ui.ask("PUT", f"/api/files/{name}", b"text")
            assert status in (400, 404, 405, 409, 422), (name, status)
        assert secret.read_text() == "the secret outside" and len(os.listdir(outside)) == 1
        for name in ("link.html", "../x", "/etc/passwd", "inner", "pipe.html", "folder.html", "nothing.csv", ".equipoise"):
            status, answer = ui.json("POST", "/api/run", {"action": "show", "choices": {"model": name}})
            assert status == 422, (name, status, answer)


def outputs_have_names_of_their_own(program):
    with tempfile.TemporaryDirectory() as outside, Served(program) as ui:
        population(program, ui.folder)
        ui.enter()
        kept = (ui.folder / "candidates.csv").read_bytes()
        os.symlink(os.path.join(outside, "out.model"), ui.folder / "link.model")
        choices = {"labelled": "labelled.csv", "sensitive": ["group"], "budget": 0.2}
        for name in ("candidates.csv", "labelled.csv", "../a.model", "/a.model", "link.model", "-o.model", ".a.model", "-"):
            status, answer = ui.json("POST", "/api/run", {"action": "learn", "choices": {**choices, "model": name}})
            assert status == 422, (name, answer)
        assert (ui.folder / "candidates.csv").read_bytes() == kept and os.listdir(outside) == []
        status, answer = ui.json("PUT", "/api/files/labelled.csv", {})
        assert status == 409, answer  # what is there is not replaced
        for text in ("first", "second"):
            assert ui.ask("PUT", "/api/files/target.csv", text)[0] == 201
            assert (ui.folder / "target.csv").read_text() == text


def choices_never_become_options(program):
    with Served(program) as ui:
        population(program, ui.folder)
        ui.enter()
        base = {"labelled": "labelled.csv", "sensitive": ["group"], "budget": 0.2, "model": "panel.model"}
        command = lambda **more: ui.json("POST", "/api/command", {"action": "learn", "choices": {**base, **more}})
        status, answer = command(sensitive=["--output"], ignore=["-o", "$(touch x)"])
        assert status == 200 and "--sensitive=--output" in answer["command"], answer
        assert "'--ignore=-o,$(touch x)'" in answer["command"], answer
        for wrong in (dict(budget="0.2"), dict(budget=None), dict(sensitive="group"), dict(sensitive=[1]), dict(ignore=["a,b"]),
                      dict(sensitive=["a\nb"]), dict(sensitive=["x" * 3000]), dict(target="no.csv"), dict(labelled=["labelled.csv"]),
                      dict(ignore=["x" * 500 + str(i) for i in range(10)]), dict(sensitive=["a"] * 200)):
            status, answer = command(**wrong)
            assert status == 200 and answer["message"] and "command" not in answer, (wrong, status, answer)
            assert ui.json("POST", "/api/run", {"action": "learn", "choices": {**base, **wrong}})[0] == 422, wrong
        for action in ("filter", "ui", "demo", "../learn", "learn --json", ""):
            assert ui.json("POST", "/api/run", {"action": action, "choices": base})[0] == 422, action
        for body in (b"", b"[]", b"{", b"null", b'{"action": 1}', b'{"action": "learn"}', b'{"action":"a","action":"b"}', b"\xff"):
            assert ui.ask("POST", "/api/run", body)[0] == 400, body


def every_choice_about_columns_reaches_the_command(program):
    with Served(program) as ui:
        population(program, ui.folder, 1500)
        ui.enter()
        seen = {"labelled": "labelled.csv", "sensitive": ["group"], "intersect": True, "min_group": 70}
        chosen = {**seen, "keep": ["record"], "ignore": ["admitted"], "budget": 0.2, "model": "panel.model"}
        for action, choices, words in (("inspect", seen, []), ("frontier", chosen, ["--keep record", "--ignore admitted"]),
                                       ("learn", chosen, ["--keep record", "--ignore admitted"])):
            status, answer = ui.json("POST", "/api/command", {"action": action, "choices": choices})
            assert status == 200 and all(word in answer["command"] for word in ["--intersect", "--min-group 70", *words]), answer
        lines = (ui.folder / "labelled.csv").read_text().splitlines()
        place = lines[0].split(",").index("group")
        cells = [line.split(",") for line in lines]
        for i, row in enumerate(cells[1:]):
            row[place] = f"{row[place]}|Amber" if i % 3 == 0 and row[place] != "Amber" else row[place]
        (ui.folder / "several.csv").write_text("\n".join(",".join(row) for row in cells) + "\n")
        several = {"labelled": "several.csv", "sensitive": ["group"]}
        plain = ui.run("inspect", several)[1]["document"]
        sign, = [column["separator"] for column in plain["columns"] if "separator" in column]
        parted = ui.run("inspect", {**several, "multiple": sign})[1]["document"]
        assert sign == "|" and {group["value"] for group in parted["groups"]} == {"Amber", "Birch", "Cedar", "Dune"}
        assert sum(group["rows"] for group in parted["groups"]) > parted["rows"] == plain["rows"]
        status, answer = ui.json("POST", "/api/command", {"action": "learn", "choices": {
            **several, "multiple": sign, "budget": 0.2, "model": "panel.model"}})
        assert status == 200 and "--multiple '|'" in answer["command"], answer
        smallest = lambda **more: min(group["rows"] for group in ui.run("inspect", {
            "labelled": "labelled.csv", "sensitive": ["group"], **more})[1]["document"]["groups"])
        assert smallest() < 70 <= smallest(min_group=70)


def the_key_never_travels(program):
    with Served(program) as ui:
        ui.enter()
        for name in ("draw.key", "disguised.html", "disguised.json"):
            (ui.folder / name).write_text(SECRET + "\n")
        for name in ("draw.key", "disguised.html", "disguised.json"):
            status, _, text = ui.ask("GET", f"/files/{name}")
            assert status in (403, 404) and SECRET.encode() not in text, (name, status)
        (ui.folder / "people.csv").write_text("id\n1\n")
        assert ui.ask("GET", "/files/people.csv")[0] == 404  # records are not shown either
        job, result = ui.run("key", {"key": "fresh.key"})
        made = (ui.folder / "fresh.key").read_text().strip()
        assert job["state"] == "done" and len(made) == 64 and (ui.folder / "fresh.key").stat().st_mode & 0o777 == 0o600
        for path in ("/api/state", "/api/results/key", "/files/fresh.key"):
            assert made.encode() not in ui.ask("GET", path)[2], path
        job, _ = ui.run("key", {"key": "fresh.key"})  # a key is never replaced
        assert job["state"] == "failed" and (ui.folder / "fresh.key").read_text().strip() == made


def pages_of_the_folder_are_boxed(program):
    with Served(program) as ui:
        ui.enter()
        (ui.folder / "report.html").write_text("<script>fetch('/api/state')</script>")
        status, headers, _ = ui.ask("GET", "/files/report.html")
        policy = headers["Content-Security-Policy"]
        assert status == 200 and policy.startswith("sandbox allow-scripts") and "allow-same-origin" not in policy
        assert "default-src 'none'" in policy and "connect-src" not in policy


def sizes_are_limited(program):
    with Served(program) as ui:
        ui.enter()
        assert ui.ask("POST", "/api/run", b"{" + b" " * 300000 + b"}")[0] == 413
        assert ui.ask("PUT", "/api/project", b"[" * 300000)[0] == 413
        assert ui.ask("PUT", "/api/files/big.csv", b"x", Content_Length=str(3 << 30))[0] == 413
        assert not (ui.folder / "big.csv").exists()
        assert ui.ask("GET", "/api/state", X_Long="x" * 60000)[0] in (400, 413, 431)
        assert ui.ask("PUT", "/api/project", b'{"revision":0,"choices":' + b"[" * 5000)[0] == 400
        chunked = socket.create_connection(("127.0.0.1", ui.port))
        chunked.sendall(f"POST /api/run HTTP/1.1\r\nHost: 127.0.0.1:{ui.port}\r\nOrigin: http://127.0.0.1:{ui.port}\r\n"
                        f"Cookie: {ui.cookie}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        try:
            for _ in range(600):
                chunked.sendall(b"400\r\n" + b" " * 1024 + b"\r\n")
            chunked.sendall(b"0\r\n\r\n")
        except OSError:
            pass
        chunked.settimeout(10)
        assert b" 413 " in chunked.recv(100)
        assert ui.ask("GET", "/api/state")[0] == 200


def an_upload_that_breaks_off_leaves_nothing(program):
    with Served(program) as ui:
        ui.enter()
        half = socket.create_connection(("127.0.0.1", ui.port))
        half.sendall(f"PUT /api/files/half.csv HTTP/1.1\r\nHost: 127.0.0.1:{ui.port}\r\nOrigin: http://127.0.0.1:{ui.port}\r\n"
                     f"Cookie: {ui.cookie}\r\nContent-Length: 1000000\r\n\r\n".encode() + b"a,b\n" * 1000)
        time.sleep(0.3)  # half of it comes; it has no name yet
        assert os.listdir(ui.folder) == []
        half.close()
        assert ui.ask("PUT", "/api/files/whole.csv", "a,b\n" * 100000)[0] == 201
        wait_until(lambda: os.listdir(ui.folder) == ["whole.csv"], "the half is gone")
        assert (ui.folder / "whole.csv").stat().st_size == 400000


def two_hundred_slow_clients_do_not_stop_it(program):
    with Served(program) as ui:
        ui.enter()
        slow = [socket.create_connection(("127.0.0.1", ui.port)) for _ in range(200)]
        began, answered, ended = time.monotonic(), 0, set()
        for each in slow:
            each.sendall(b"GET / HT")
        while len(ended) < 200 and time.monotonic() - began < 60:  # a byte now and then, so that they are never silent
            assert ui.ask("GET", "/api/state")[0] == 200
            answered += not ended  # while they are all there, not because they have been shown out
            for each in slow:
                try:
                    each.sendall(b"T")
                except OSError:
                    ended.add(each)
            time.sleep(0.3)
        assert answered >= 2 and len(ended) == 200, f"{answered} answers, {len(ended)} of 200 slow clients were shown out"
        for each in slow:
            each.close()


def a_stale_tab_changes_nothing(program):
    with Served(program) as ui:
        ui.enter()
        assert ui.json("PUT", "/api/project", {"revision": 0, "choices": {"budget": 0.2}}) == (200, {"revision": 1})
        status, answer = ui.json("PUT", "/api/project", {"revision": 0, "choices": {"budget": 0.9}})
        assert status == 409, answer
        assert ui.json("GET", "/api/state")[1]["project"]["choices"] == {"budget": 0.2}
        (ui.folder / "equipoise-project.json").write_text("{}")
        assert "is not a project file" in ui.json("GET", "/api/state")[1]["message"]
        assert ui.ask("PUT", "/api/project", {"revision": 0, "choices": {}})[0] == 422
        assert (ui.folder / "equipoise-project.json").read_text() == "{}"


def one_command_at_a_time_and_it_can_be_cancelled(program):
    with Served(program) as ui:
        population(program, ui.folder, 6000)
        os.rename(ui.folder / "labelled-later.csv", ui.folder / "many.csv")
        ui.enter()
        choices = {"labelled": "many.csv", "sensitive": ["group"], "budget": 0.2, "model": "panel.model"}
        assert ui.json("POST", "/api/run", {"action": "frontier", "choices": choices})[0] == 202
        status, answer = ui.json("POST", "/api/run", {"action": "learn", "choices": choices})
        assert status == 409 and "running" in answer["message"], answer
        assert ui.ask("POST", "/api/cancel", b"")[0] == 200
        wait_until(lambda: ui.json("GET", "/api/state")[1]["job"]["state"] != "running", "it is cancelled")
        assert ui.json("GET", "/api/state")[1]["job"]["state"] == "cancelled"
        assert ui.ask("GET", "/api/results/frontier")[0] == 404 and not (ui.folder / "panel.model").exists()


def events_tell_how_far_it_is(program):
    with Served(program) as ui:
        population(program, ui.folder, 1500)
        ui.enter()
        stream = socket.create_connection(("127.0.0.1", ui.port))
        stream.sendall(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{ui.port}\r\nCookie: {ui.cookie}\r\n\r\n".encode())
        heard = []
        def listen():
            while True:
                try:
                    text = stream.recv(65536)
                except OSError:
                    return
                if not text:
                    return
                heard.append(text)
        thread = threading.Thread(target=listen)
        thread.start()
        budgets, yields = [0.1, 0.2, 0.3], [0.1, 0.2]
        job, result = ui.run("frontier", {"labelled": "labelled.csv", "sensitive": ["group"], "budgets": budgets, "yields": yields})
        points = result["document"]["points"]
        assert job["state"] == "done" and result["fresh"], job
        assert {(point["max_disclosure"], point["min_yield"]) for point in points} == {(b, y) for b in budgets for y in yields}
        assert all("model" not in point for point in points)
        wait_until(lambda: b'"state":"done"' in b"".join(heard), "the end is told")
        ui.server.terminate()  # ends the stream too
        ui.server.wait(PATIENCE)
        thread.join(PATIENCE)
        stream.close()
        text = b"".join(heard).decode()
        assert "text/event-stream" in text and '"state":"running"' in text and '"state":"done"' in text, text[:500]
        assert '"done":0.' in text, "no progress was told"


def kill_loses_nothing_that_was_saved(program):
    with tempfile.TemporaryDirectory() as folder:
        population(program, folder, 1500)
        choices = {"labelled": "labelled.csv", "sensitive": ["group"], "budget": 0.2, "yield": 0.1, "model": "panel.model"}
        with Served(program, folder) as ui:
            ui.enter()
            assert ui.json("PUT", "/api/project", {"revision": 0, "choices": choices})[0] == 200
            job, before = ui.run("learn", choices)
            assert job["state"] == "done", job
            assert ui.json("POST", "/api/run", {"action": "frontier", "choices": choices})[0] == 202
            ui.server.kill()
            ui.server.wait(PATIENCE)
        model = pathlib.Path(folder, "panel.model").read_bytes()
        time.sleep(0.5)
        with Served(program, folder) as ui:
            ui.enter()
            state = ui.json("GET", "/api/state")[1]
            assert state["project"] == {"format": "equipoise-project", "version": 1, "revision": 1, "choices": choices}
            assert "learn" in state["results"] and ui.json("GET", "/api/results/learn")[1] == before
            assert pathlib.Path(folder, "panel.model").read_bytes() == model
            pathlib.Path(folder, "labelled.csv").open("a").write("\n")
            assert ui.json("GET", "/api/results/learn")[1]["fresh"] is False  # what it read has changed


def the_pages_button_ends_it(program):
    with Served(program) as ui:
        ui.enter()
        assert ui.ask("POST", "/api/quit", b"")[0] == 200
        assert ui.server.wait(PATIENCE) == 0


if __name__ == "__main__":
    main([test for name, test in list(globals().items()) if callable(test) and getattr(test, "__module__", "") == "__main__"
          and name != "main"], sys.argv)
