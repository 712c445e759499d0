import LinuxSystem
import Wire

/// Programs that abuse the sockets, in Python: the daemon's side of the wire is not tested with itself.
enum Peers {
    /// Every kind of bad message on a connection of its own; prints for each what came back: `error CODE…`, `cut`, or
    /// `silence`.
    static let library = """
        import json, os, socket, sys, threading, time

        class Peer(socket.socket):
            buffer = b""

        def connect(path):
            peer = Peer(socket.AF_UNIX, socket.SOCK_STREAM)
            peer.connect(path)
            peer.settimeout(20)
            return peer

        def say(peer, data):
            try:
                peer.sendall(data)
            except OSError:
                pass

        def heard(peer, lines=1):
            # The codes of the errors that came, then "cut" if the connection ended; "silence" is a failure.
            got = []
            try:
                while len(got) < lines:
                    if b"\\n" not in peer.buffer:
                        more = peer.recv(65536)
                        if not more:
                            got.append("cut")
                            break
                        peer.buffer += more
                    while b"\\n" in peer.buffer and len(got) < lines:
                        line, peer.buffer = peer.buffer.split(b"\\n", 1)
                        message = json.loads(line)
                        if "error" in message:
                            got.append(str(message["error"]["code"]))
                        elif "result" in message:
                            got.append("result")
            except socket.timeout:
                got.append("silence")
            except OSError:
                got.append("cut")
            return " ".join(got)

        def request(method, params=None, id=1):
            message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}
            return json.dumps(message).encode() + b"\\n"

        RUBBISH = {
            "rubbish": b"\\xff\\xfe\\x00rubbish\\n",
            "not an object": b"17\\n",
            "batch": b'[{"jsonrpc":"2.0","id":1,"method":"apps"}]\\n',
            "no version": b'{"id":1,"method":"apps"}\\n',
            "bad id": b'{"jsonrpc":"2.0","id":{},"method":"apps"}\\n',
            "huge id": b'{"jsonrpc":"2.0","id":"' + b"x" * 500 + b'","method":"apps"}\\n',
            "deep": b'{"jsonrpc":"2.0","id":1,"method":"apps","params":' + b"[" * 5000 + b"]" * 5000 + b"}\\n",
            "wide": b'{"jsonrpc":"2.0","id":1,"method":"apps","params":[' + b"0," * 100000 + b"0]}\\n",
            "10 MB": b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 10_000_000 + b'"}\\n',
            "10 MB without end": b"x" * 10_000_000,
            "unknown method": request("levitate"),
        }

        def flood(path, message, seconds, reads, greeting=b""):
            # As fast as it goes; without reading, it is cut off and comes again.
            end = time.monotonic() + seconds
            sent = 0
            block = message * 100
            while time.monotonic() < end:
                peer = connect(path)
                say(peer, greeting)
                if reads:
                    threading.Thread(target=drain, args=(peer,), daemon=True).start()
                try:
                    while time.monotonic() < end:
                        peer.sendall(block)
                        sent += 100
                except OSError:
                    pass
                peer.close()
            return sent

        def drain(peer):
            try:
                while peer.recv(1 << 18):
                    pass
            except OSError:
                pass

        """

    /// Speaks to the control socket as a tool of the user.
    static let tool =
        library + """
            path = sys.argv[1]
            for name, data in RUBBISH.items():
                peer = connect(path)
                say(peer, data)
                print(name + ":", heard(peer), flush=True)
                peer.close()
            peer = connect(path)
            say(peer, b'{"jsonrpc":"2.0","id":1,"meth')
            peer.close()
            for name, method, params in [
                ("no parameter", "open", {}),
                ("wrong type", "open", {"app": 7}),
                ("path as name", "open", {"app": "../../etc"}),
                ("unknown app", "close", {"app": "org.example.none"}),
                ("relative path", "install", {"path": "x.app"}),
                ("unknown report", "report", {"id": "../../state.sqlite"}),
                ("bad event", "simulate", {"event": "earthquake"}),
            ]:
                peer = connect(path)
                say(peer, request(method, params))
                print(name + ":", heard(peer), flush=True)
            peers = [connect(path) for _ in range(200)]
            for peer in peers:
                say(peer, request("status"))
            print("200 peers:", " ".join(sorted({heard(peer) for peer in peers})), flush=True)
            for name, message in [("status", request("status")), ("rubbish", b"rubbish\\n")]:
                for reads in [False, True]:
                    sent = flood(path, message, float(sys.argv[2]), reads)
                    print("flood of " + name + (" with answers read:" if reads else ":"), sent > 0, flush=True)
            """

    /// An app, started as such, that abuses the connection it was born with and whatever else it can reach.
    static let app = """
        #!/usr/bin/env python3

        """ + library + """
            home = os.path.dirname(os.environ["GREENROOM_SOCKET"])
            out = open(os.path.join(os.environ["HOME"], "Documents", "findings"), "w")
            def find(name, what):
                print(name + ":", what, file=out, flush=True)

            def attempt(name, action):
                try:
                    find(name, "reached " + str(action()))
                except Exception:
                    find(name, "refused")

            peer = Peer(fileno=int(os.environ["GREENROOM_FD"]))
            peer.settimeout(20)
            say(peer, request("state"))
            find("before hello", heard(peer))
            say(peer, request("hello", {"protocol": 99}))
            find("wrong protocol", heard(peer))
            say(peer, request("hello", {"protocol": "1"}))
            find("wrong type", heard(peer))
            say(peer, b"rubbish\\n")
            find("rubbish", heard(peer))
            say(peer, b'{"jsonrpc":"2.0","id":77,"result":{}}\\n')
            say(peer, b'{"jsonrpc":"2.0","id":"ping-9","result":{}}\\n')
            say(peer, request("hello", {"protocol": 1, "client": "abuser", "executed": None}))
            find("hello", heard(peer))
            say(peer, request("hello", {"protocol": 1, "client": "abuser", "executed": None}))
            # Callbacks come in between; only answers are counted.
            find("hello twice", heard(peer))
            say(peer, b'{"jsonrpc":"2.0","id":2,"result":{}}\\n')
            find("wrong order", heard(peer))
            say(peer, request("openURL", {"url": "nobody://x"}, id=5))
            find("unknown scheme", heard(peer))

            attempt("control socket", lambda: connect(os.path.join(home, "control")))
            attempt("other containers", lambda: [
                name for name in os.listdir(os.path.join(home, "containers")) if name != os.environ["GREENROOM_APP"]][0])
            attempt("victim's container", lambda: os.listdir(os.path.join(home, "containers", "victim")))
            attempt("database", lambda: open(os.path.join(home, "state.sqlite"), "rb").read(1))
            attempt("own bundle", lambda: open(os.path.join(home, "bundles", "abuser", "abuser"), "a"))
            def runs_victim(pid):
                try:
                    return b"bundles/victim" in open("/proc/" + pid + "/cmdline", "rb").read()
                except OSError:
                    return False
            find("victim", "found" if any(runs_victim(pid) for pid in os.listdir("/proc") if pid.isdigit()) else "hidden")
            # Its number can be guessed, and so can the name of its group.
            victim = VICTIM
            attempt("victim's memory", lambda: open("/proc/%d/mem" % victim, "rb"))
            attempt("victim's environment", lambda: open("/proc/%d/environ" % victim, "rb").read(1))
            attempt("victim's life", lambda: os.kill(victim, 9))
            lines = open("/proc/self/cgroup").read().splitlines()
            groups = [line[3:].replace("app-abuser", "app-victim") for line in lines if line.startswith("0::")]
            mounts = [line.split()[1] for line in open("/proc/mounts") if line.split()[2] == "cgroup2"]
            group = mounts[0] + groups[0]
            attempt("victim's cgroup", lambda: open(group + "/cgroup.procs", "w").write(str(os.getpid())))
            attempt("victim's freezer", lambda: open(group + "/cgroup.freeze", "w").write("1"))
            find("done", "yes")
            hello = request("hello", {"protocol": 1, "client": "abuser", "executed": None})
            while True:
                flood(os.environ["GREENROOM_SOCKET"], request("state"), 1.0, False, hello)
                flood(os.environ["GREENROOM_SOCKET"], request("state"), 1.0, True, hello)
            """

    /// A tool that runs in an app's group: to the daemon it is that app.
    static let insider =
        library + """
            with open(sys.argv[2] + "/cgroup.procs", "w") as group:
                group.write(str(os.getpid()))
            peer = connect(sys.argv[1])
            say(peer, request("apps"))
            print(heard(peer, 2), flush=True)
            with open(sys.argv[3] + "/cgroup.procs", "w") as group:
                group.write(str(os.getpid()))
            """

    /// A stranger who claims to be an app.
    static let stranger =
        library + """
            peer = connect(sys.argv[1])
            say(peer, request("hello", {"protocol": 1, "client": "stranger", "executed": None}))
            print(heard(peer, 2))
            """
}
