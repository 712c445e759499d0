"""The tour: what a person would do, and what must then be true."""

import json
import os
import shutil
import signal
import time

from servers import fetch, serve_episodes
from show import duration
from storms.files import text, write
from storms.places import ROOT
from storms.sockets import free_port
from storms.system import moment
from storms.waiting import Failed, wait_for
from terminal import Attached

PREFIX = "org.greenroom.examples."
JOURNAL, COUNTER, EDITOR, SERVER, SLEEPYHEAD, PODCASTS = (
    PREFIX + name for name in ("journal", "counter", "editor", "server", "sleepyhead", "podcasts"))


class Tour:
    def __init__(self, system, show, apps):
        self.system = system
        self.show = show
        self.source = os.path.abspath(apps)
        self.apps = os.path.join(system.folder, "apps")
        self.port = free_port()
        self.rows = []
        self.keeps = False

    def take(self):
        self.start()
        self.launch()
        self.freeze()
        self.come_back()
        self.interrupt()
        self.edit()
        self.serve()
        self.transfer()
        self.close()
        self.hang()
        self.crash()
        self.replay()

    # What a step is made of

    def do(self, *arguments, prints=True):
        self.show.command("greenroom " + " ".join(f"'{word}'" if set("?&(") & set(word) else word for word in arguments))
        result = self.system.run(*arguments)
        if prints or result.code != 0:
            self.show.output(result.output)
        if result.code != 0:
            raise Failed(f"greenroom {' '.join(arguments)} ended with exit code {result.code}")
        return result

    def expect(self, condition, words):
        if not condition:
            self.show.bad(words)
            raise Failed("it is not so: " + words)
        self.show.good(words)

    def why(self, name):
        return self.do("why", name)

    def row(self, what, measure):
        self.rows.append((what, measure))

    def time_between(self, app, after, first, second):
        """Seconds between two entries of the log, the first of each kind after an entry."""
        at = {}
        for entry in self.system.log(app, after):
            at.setdefault(entry["event"], moment(entry["at"]))
        if first not in at or second not in at:
            raise Failed(f"the log of {app} lacks {first} or {second}")
        return at[second] - at[first]

    def callbacks_since(self, app, after, expected):
        seen = self.system.callbacks(app, after)
        self.expect(seen == expected, "it was told: " + (" → ".join(seen) or "nothing"))

    # The steps

    def start(self):
        self.show.heading(
            "A system of its own", "It lives in a temporary folder and touches nothing else on this machine. Five apps "
            "are installed: one in Swift with UIKit, two in Python, and two programs that do not know Greenroom.")
        shutil.copytree(self.source, self.apps)
        sleepyhead = os.path.join(self.apps, "Sleepyhead.app")
        shutil.copytree(os.path.join(ROOT, "Scripts/demo/Sleepyhead.app"), sleepyhead)
        shutil.copy(os.path.join(self.apps, "Counter.app", "greenroom_app.py"), sleepyhead)
        desktop = os.path.join(self.apps, SERVER + ".desktop")
        write(desktop, text(desktop).replace("./server.py", f"./server.py {self.port}"))
        self.show.command("greenroom up --detach")
        result = self.system.up()
        self.show.output(result.output)
        if result.code != 0:
            raise Failed("the system does not start")
        for name in ("Journal.app", "Counter.app", "Sleepyhead.app", EDITOR + ".desktop", SERVER + ".desktop"):
            self.show.command("greenroom install " + name)
            installed = self.system.run("install", os.path.join(self.apps, name))
            self.show.output(installed.output)
            if installed.code != 0:
                raise Failed(f"{name} cannot be installed")
        self.row("The system starts", duration(result.took))

    def launch(self):
        self.show.heading(
            "Launch", "Journal is an ordinary iOS app, except that its screen is text. A URL writes an entry and opens it.")
        before = self.system.last()
        self.do("open", "journal")
        self.pid = self.system.app(JOURNAL)["pid"]
        self.callbacks_since(JOURNAL, before, ["willFinishLaunching", "didFinishLaunching", "didBecomeActive"])
        self.cold = self.time_between(None, before, "openRequested", "didBecomeActive")
        self.do("open", "journal://new?title=Lake%20Tahoe&text=Snow%20on%20the%20pass,%20sun%20on%20the%20water.")
        self.show.command("greenroom output journal")
        self.entry = self.screen()
        self.show.output("\n".join(self.entry))
        self.expect("Lake Tahoe" in self.entry[0], "the new entry is open")
        self.why("journal")
        self.row("Journal is launched and active", duration(self.cold))

    def screen(self):
        """What Journal drew last."""
        lines = self.system.run("output", JOURNAL).output.splitlines()
        tops = [number for number, line in enumerate(lines) if line.startswith("┌")]
        if not tops:
            raise Failed("Journal has drawn nothing")
        return [line for line in lines[tops[-1]:] if line[:1] in "┌│└"]

    def freeze(self):
        self.show.heading(
            "Home, and the freeze", "The app is told that it leaves the screen. Then the kernel freezes all its "
            "processes. They stay in memory and use no processor time, as the kernel's own figures show.")
        before = self.system.last()
        self.do("home")
        self.system.await_state(JOURNAL, "suspended")
        self.callbacks_since(JOURNAL, before, ["willResignActive", "didEnterBackground"])
        took = self.time_between(JOURNAL, before, "didEnterBackground", "suspended")
        self.show_kernel(JOURNAL, self.pid)
        self.expect(took < 1, f"frozen {duration(took)} after its didEnterBackground returned")
        used = self.system.processor_time(JOURNAL, self.pid)
        time.sleep(3)
        now = self.system.processor_time(JOURNAL, self.pid)
        self.expect(used == now, f"processor time {used} µs, and 3 seconds later {now} µs")
        self.why("journal")
        self.row("Home to frozen, confirmed by the kernel", duration(took))
        self.row("Processor time that it used in 3 s of suspension", "0 µs")

    def show_kernel(self, app, pid):
        group = self.system.group_of(app)
        if group:
            self.show.command(f"cat {group}/cgroup.events")
            self.show.output(text(os.path.join(group, "cgroup.events")))
        else:
            self.show.command(f"grep State /proc/{pid}/status")
            self.show.output("".join(
                line for line in text(f"/proc/{pid}/status").splitlines(True) if line.startswith("State")))
        self.expect(self.system.is_frozen(app, pid), "the kernel says that it is frozen")

    def come_back(self):
        self.show.heading("Back at once", "Opening it again is a thaw, not a launch: the same process, exactly where it was.")
        before = self.system.last()
        self.do("open", "journal")
        took = self.time_between(None, before, "openRequested", "didBecomeActive")
        self.expect(self.system.app(JOURNAL)["pid"] == self.pid, f"the same process: {self.pid}")
        self.callbacks_since(JOURNAL, before, ["willEnterForeground", "didBecomeActive"])
        self.expect(self.screen() == self.entry, "the same entry is open")
        self.expect(took < self.cold, f"active again after {duration(took)}; the launch took {duration(self.cold)}")
        self.row(f"Journal is back, {self.cold / took:.0f} times as fast as its launch", duration(took))

    def interrupt(self):
        self.show.heading(
            "A call comes in", "An interruption covers the app without sending it away. The app becomes inactive, and "
            "active again when the call is declined. Counter counts the seconds during which it is active.")
        self.do("open", "counter")
        before = self.system.last()
        self.do("simulate", "call")
        self.expect(self.system.app(COUNTER)["state"] == "inactive", "Counter is inactive")
        self.why("counter")
        self.do("simulate", "call", "--decline")
        self.callbacks_since(COUNTER, before, ["willResignActive", "didBecomeActive"])
        self.expect(self.system.app(COUNTER)["state"] == "active", "Counter is active")
        self.row("A call interrupts, and is declined", "inactive, active")

    def edit(self):
        self.show.heading(
            "An editor with unsaved text", "nano does not know Greenroom. It has a terminal of its own, which "
            "greenroom attach shows and leaves again.")
        notes = os.path.join(self.system.home, "containers", EDITOR, "Documents", "notes.txt")
        words = b"Not saved yet."
        self.do("open", "editor")
        pid = self.system.app(EDITOR)["pid"]
        self.show.command("greenroom attach editor")
        editor = Attached(self.system, EDITOR)
        editor.look_for(b"notes.txt")
        editor.type(words)
        editor.look_for(words)
        editor.detach()
        self.show.good(f"typed “{words.decode()}”, detached with Ctrl-], saved nothing")
        self.do("home")
        self.system.await_state(EDITOR, "suspended")
        self.expect(self.system.is_frozen(EDITOR, pid), "the editor is frozen")
        self.expect(not os.path.exists(notes), "there is no notes.txt")
        self.why("editor")
        result = self.do("open", "editor")
        self.expect(self.system.app(EDITOR)["pid"] == pid, f"the same process: {pid}")
        self.show.command("greenroom attach editor")
        editor = Attached(self.system, EDITOR)
        editor.look_for(words)
        editor.type(b"\x0f\r")
        wait_for("notes.txt", lambda: text(notes).strip() == words.decode(), 10)
        editor.detach()
        self.show.good("the text was there, and Ctrl-O saved it:")
        self.show.output(text(notes))
        self.row("An editor's unsaved text survives the freeze", duration(result.took))

    def serve(self):
        self.show.heading(
            "A network server", f"It answers on port {self.port} while it runs. A frozen server cannot answer, so "
            "Greenroom refuses connections at once instead of leaving them hanging. (A server with the background mode "
            "listen would be woken instead.)")
        self.do("open", "server")
        pid = self.system.app(SERVER)["pid"]
        wait_for("the server to listen", lambda: "listening" in self.system.run("output", SERVER).output, 10)
        self.show.command(f"curl http://127.0.0.1:{self.port}/")
        answer, _ = fetch(self.port)
        self.show.output(answer)
        self.do("home")
        self.system.await_state(SERVER, "suspended")
        self.expect(self.system.is_frozen(SERVER, pid), "the server is frozen")
        self.show.command(f"curl http://127.0.0.1:{self.port}/")
        answer, took = fetch(self.port)
        self.expect(answer is None, f"the connection is refused after {duration(took)}")
        self.why("server")
        self.do("open", "server")
        answer, _ = fetch(self.port)
        self.expect(answer is not None and f"process {pid}" in answer, "now the same process answers:")
        self.show.output(answer)
        self.row("A suspended server refuses connections", duration(took))

    def transfer(self):
        podcasts = os.path.join(self.apps, "Podcasts.app")
        if not (os.path.isdir(podcasts) and os.path.exists(os.path.join(self.system.tools, "greenroom-transferd"))):
            self.show.line()
            self.show.note("(Background transfers are not built: after make build, the tour shows them here.)")
            return
        self.show.heading(
            "Downloads in the background", "Podcasts is woken to check for new episodes, and hands the downloads to the "
            "transfer service. Then the app is killed. Its downloads continue, and when they are done the app is "
            "launched in the background to take them over.")
        port = free_port()
        server = serve_episodes(port, 2, 1_000_000)
        try:
            self.do("install", podcasts)
            self.do("open", f"podcasts://subscribe?feed=http://127.0.0.1:{port}/feed.xml")
            self.do("home")
            self.system.await_state(PODCASTS, "suspended")
            before = self.system.last()
            self.do("simulate", "fetch", "podcasts")
            self.system.await_state(PODCASTS, "suspended", 30)
            self.do("transfers")
            pid = self.system.app(PODCASTS)["pid"]
            self.show.command(f"kill -9 {pid}")
            os.kill(pid, signal.SIGKILL)
            wait_for("the episodes", lambda: self.printed("finished the events"), 60)
            callbacks = self.system.callbacks(PODCASTS, before)
            self.expect("handleEventsForBackgroundURLSession" in callbacks, "the app was launched to take its downloads over")
            self.do("open", "podcasts")
            self.show.command("greenroom output podcasts")
            shown = self.system.run("output", "podcasts").output
            self.show.output("\n".join(shown.splitlines()[-3:]))
            self.expect(shown.count("2000 kB") == 2, "both episodes are there, each once")
            self.row("Downloads outlive the app that started them", "2 of 2")
            server.kill()
            server.wait()
            server = serve_episodes(port, 3, 2_000_000)
            self.push()
        finally:
            server.kill()
            server.wait()

    def push(self):
        """A provider's word: the app is told, fetches and notifies, all while the user does something else."""
        if not os.path.exists(os.path.join(self.system.tools, "greenroom-pushd")):
            return
        self.show.heading(
            "A push, and a notification", "A silent push tells Podcasts that there is a third episode. It begins the "
            "download and sleeps until the episode is there. Then it notifies the user, whose tap opens it.")
        self.do("home")
        self.system.await_state(PODCASTS, "suspended")
        file = os.path.join(self.system.folder, "episode.apns")
        with open(file, "w") as payload:
            json.dump({"Simulator Target Bundle": PODCASTS, "aps": {"content-available": 1}, "content-id": 3}, payload)
        self.do("push", file)
        shown = wait_for("the notification", lambda: [
            each for each in self.system.json("notifications") if "Episode 3" in json.dumps(each)], 30)
        self.do("notifications")
        self.do("notifications", "act", shown[0]["id"])
        self.system.await_state(PODCASTS, "active")
        wait_for("the app to hear of the tap", lambda: self.printed("playing episode-3"), 10)
        self.expect(self.printed("downloaded episode-3"), "the episode was there before the user was told of it")

    def printed(self, words):
        return words in self.system.run("output", "podcasts").output

    def close(self):
        self.show.heading(
            "Closed in the switcher", "A suspended app is not told that it ends: it could save when it left the screen. A "
            "running app is told. Journal saves early enough to lose nothing either way.")
        first = self.do("close", "editor")
        self.expect(self.system.app(EDITOR)["state"] == "not-running", "the editor, suspended, is gone")
        self.do("open", "journal")
        before = self.system.last()
        second = self.do("close", "journal")
        self.callbacks_since(JOURNAL, before, ["willResignActive", "didEnterBackground", "willTerminate"])
        self.expect(not os.path.exists(f"/proc/{self.pid}"), f"process {self.pid} is gone")
        self.why("journal")
        self.do("open", "journal")
        pid = self.system.app(JOURNAL)["pid"]
        self.expect(pid != self.pid and self.screen() == self.entry, f"a new process, {pid}, shows the same entry")
        self.row("A suspended app is closed", duration(first.took))
        self.row("A running app is told, and closed", duration(second.took))

    def hang(self):
        self.show.heading(
            "An app that hangs", "Sleepyhead never returns from didEnterBackground. After five seconds the "
            "watchdog ends it and writes a report.")
        self.do("open", "sleepyhead")
        pid, before = self.system.app(SLEEPYHEAD)["pid"], self.system.last()
        self.do("home", "--no-wait")
        self.show.note("waiting for the watchdog…")
        self.system.await_state(SLEEPYHEAD, "not-running", 12)
        ends = [entry for entry in self.system.log(SLEEPYHEAD, before) if entry["event"] == "terminated"]
        pressed = next(entry for entry in self.system.log(None, before) if entry["event"] == "homePressed")
        took = moment(ends[0]["at"]) - moment(pressed["at"])
        self.expect(4.9 < took < 12, f"ended after {duration(took)}")
        self.expect(not os.path.exists(f"/proc/{pid}"), f"process {pid} is gone")
        # The server's listener was reported as well, when it was suspended.
        reports = [report for report in self.system.json("reports") if report["app"] == SLEEPYHEAD]
        self.expect(
            len(reports) == 1 and reports[0]["code"] == 0x8BADF00D,
            "one report, with the code 0x8badf00d (“ate bad food”)")
        self.do("reports")
        self.why("sleepyhead")
        self.row("The watchdog ends an app that hangs", duration(took))

    def crash(self):
        self.show.heading(
            "The daemon is killed", "kill -9, without warning. The supervisor starts a new daemon, which replays what "
            "the old one had decided and takes the apps over. No app notices.")
        self.do("open", "counter")
        apps = {app["app"]: (app["state"], app["pid"]) for app in self.system.json("apps") if app["pid"]}
        before, daemon = self.system.last(), self.system.json("status")["pid"]
        self.show.command(f"kill -9 {daemon}")
        began = time.monotonic()
        os.kill(daemon, signal.SIGKILL)
        status = self.system.json("status")
        took = time.monotonic() - began
        self.system.pids.add(status["pid"])
        self.expect(status["pid"] != daemon, f"a new daemon answers {duration(took)} later: {status['pid']}")
        now = {app["app"]: (app["state"], app["pid"]) for app in self.system.json("apps") if app["pid"]}
        self.do("apps")
        self.expect(now == apps, "every app has its state and its process")
        self.expect(self.system.is_frozen(SERVER, apps[SERVER][1]), "the suspended server is frozen")
        told = [event for app in apps for event in self.system.callbacks(app, before)]
        self.expect(not told, "no app was told of it")
        self.do("open", "server")
        self.expect(self.system.app(SERVER)["pid"] == apps[SERVER][1], "the server comes back in the same process")
        self.why("server")
        self.row(f"kill -9 of the daemon: {len(apps)} apps do not notice", duration(took))

    def replay(self):
        self.show.heading(
            "Decided again", "The daemon has recorded every event and what it decided. A replay feeds the events to the "
            "policy again and compares the decisions. It can also explain the state of any app at any moment.")
        result = self.do("replay", self.system.home)
        self.expect("every effect is equal" in result.output, "the policy decides everything in this tour the same way again")
        asked = [entry for entry in self.system.log(SLEEPYHEAD) if entry["event"] == "didBecomeActive"]
        self.do("replay", self.system.home, "--until", str(asked[-1]["seq"]), "--why", "sleepyhead")
        self.row("The whole tour is replayed, with equal decisions", duration(result.took))
