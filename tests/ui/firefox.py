#!/usr/bin/env python3
"""The five rooms in Firefox, driven by its own remote protocol over a local socket:

    tests/ui/firefox.py LINK FOLDER SENSITIVE IGNORED ID [PICTURES]

Needs firefox-esr and nothing else.  Clicks are real ones, at elements that can be seen."""
import base64, json, pathlib, socket, subprocess, sys, tempfile, time

PATIENCE = 240
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Firefox:
    def __init__(self, width, height):
        self.profile = tempfile.TemporaryDirectory()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        pathlib.Path(self.profile.name, "user.js").write_text(
            f'user_pref("marionette.port", {port});\nuser_pref("browser.shell.checkDefaultBrowser", false);\n'
            'user_pref("datareporting.policy.dataSubmissionEnabled", false);\nuser_pref("app.update.enabled", false);\n'
            'user_pref("network.captive-portal-service.enabled", false);\nuser_pref("browser.aboutwelcome.enabled", false);\n')
        self.browser = subprocess.Popen(["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", self.profile.name,
                                         "--width", str(width), "--height", str(height)],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(4 * PATIENCE):
            try:
                self.socket = socket.create_connection(("127.0.0.1", port))
                break
            except OSError:
                time.sleep(0.25)
        self.number, self.rest = 0, b""
        self.receive()
        self.ask("WebDriver:NewSession", {"capabilities": {}})

    def receive(self):
        while b":" not in self.rest:
            self.rest += self.socket.recv(65536)
        length, self.rest = self.rest.split(b":", 1)
        while len(self.rest) < int(length):
            self.rest += self.socket.recv(65536)
        message, self.rest = self.rest[:int(length)], self.rest[int(length):]
        return json.loads(message)

    def ask(self, command, parameters=None):
        self.number += 1
        text = json.dumps([0, self.number, command, parameters or {}]).encode()
        self.socket.sendall(str(len(text)).encode() + b":" + text)
        _, _, error, value = self.receive()
        if error:
            raise RuntimeError(f"{command}: {error['message']}")
        return value.get("value") if isinstance(value, dict) and "value" in value else value

    def run(self, script, *arguments):
        return self.ask("WebDriver:ExecuteScript", {"script": script, "args": list(arguments)})

    def find(self, id):
        return self.ask("WebDriver:FindElement", {"using": "css selector", "value": f'[id="{id}"]'})[ELEMENT]

    def until(self, script, *arguments, what=""):
        """A yes or no leaves the page, never an element: a room that is drawn anew takes its elements away."""
        asked = f"return Boolean((function () {{ {script} }}).apply(null, arguments))"
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.run(asked, *arguments):
                return
            time.sleep(0.1)
        raise AssertionError(f"waited in vain: {what or script} {arguments}")

    def says(self, words):
        self.until("return document.getElementById('room')?.textContent.includes(arguments[0])", words)

    def again(self, action):
        """The room may be drawn anew between finding and clicking."""
        for attempt in range(20):
            try:
                return action()
            except RuntimeError as error:
                if attempt == 19:
                    raise
                time.sleep(0.2)

    def press(self, id):
        self.until("const e = document.getElementById(arguments[0]); return e && !e.disabled", id)
        self.again(lambda: self.ask("WebDriver:ElementClick", {"id": self.find(id)}))

    def choose(self, id, value):
        option = f'[id="{id}"] option[value="{value}"]'
        self.until("return document.querySelector(arguments[0])", option)
        self.again(lambda: self.ask("WebDriver:ElementClick", {
            "id": self.ask("WebDriver:FindElement", {"using": "css selector", "value": option})[ELEMENT]}))
        self.until("return document.getElementById(arguments[0])?.value === arguments[1]", id, value)

    def write(self, id, text):
        self.until("return document.getElementById(arguments[0])", id)
        self.again(lambda: self.ask("WebDriver:ElementSendKeys", {"id": self.find(id), "text": text}))

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.ask("WebDriver:TakeScreenshot", {"full": True})))

    def close(self):
        try:
            self.ask("Marionette:Quit", {"flags": ["eForceQuit"]})
        except Exception:
            self.browser.terminate()
        self.browser.wait(20)
        self.profile.cleanup()


def journey(fox, link, folder, sensitive, ignored, id):
    fox.ask("WebDriver:Navigate", {"url": link})
    fox.says("What do we know")
    file = fox.run("return [...document.querySelectorAll('[name=labelled]')]"
                   ".find(each => each.nextSibling.textContent.startsWith('labelled.csv')).id")
    fox.press(file)
    fox.choose("sensitive-0", sensitive)
    fox.says("discloses by itself")
    for name in filter(None, ignored.split(",")):
        if fox.run("return document.getElementById(arguments[0]).checked", f"use-{name}"):
            fox.press(f"use-{name}")
    yield "1-data"
    fox.press("next")
    fox.until("return document.getElementById('budget')")
    fox.press("run-learn")
    fox.says("The rule is made")
    yield "2-tradeoff"
    fox.press("next")
    fox.choose("checked", "later.csv")
    fox.press("run-audit")
    fox.until("return document.querySelector('.verdict')")
    yield "3-check"
    fox.press("next")
    fox.choose("pool", "pool.csv")
    fox.choose("id", id)
    fox.press("run-key")
    fox.write("randomness", "the lottery of 1 May")
    fox.press("run-commit")
    fox.says("Committed: 150 seats and 60 alternates")
    fox.write("randomness_value", "4 8 15 16 23 42")
    fox.says("'4 8 15 16 23 42'")
    fox.press("run-select")
    fox.says("Drawn: 150 seats and 60 alternates")
    fox.press("run-verify")
    fox.says("Verified:")
    yield "4-draw"
    fox.press("next")
    fox.press("run-publish")
    fox.says("Made:")
    yield "5-publish"


def main(link, folder, sensitive, ignored, id, pictures=None):
    fox = Firefox(1280, 900)
    try:
        for room in journey(fox, link, folder, sensitive, ignored, id):
            wide = fox.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, f"{room} is {wide} pixels too wide"
            if pictures:
                fox.picture(pathlib.Path(pictures, f"{room}-firefox.png"))
        print("firefox: five rooms, verified draw")
    finally:
        fox.close()


main(*sys.argv[1:])
