import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// Pictures of real apps; the rubbish comes from an app in Python, which speaks the protocol by itself.
    @Suite("Snapshots", .serialized) struct Snapshots {
        /// An app that does with the path, the limit and the way to reply what `lines` say.
        private static func app(_ lines: String...) -> String {
            """
            def take(self, params):
                path, most = params["path"], params["most"]
                def reply(kind):
                    made = {"number": params["number"], "kind": kind}
                    app.request("snapshot", made, lambda result, error: print("made", (error or {}).get("message", "ok"), flush=True))
                def write(data):
                    with open(path, "wb") as file: file.write(data)
                svg = lambda text: ('<svg width="20" height="10"><text>%s</text></svg>' % text).encode()
                \(lines.joined(separator: "\n    "))
            Delegate.takeSnapshot = take
            def started(app): app.request("provideSnapshots", {"provides": True})
            """
        }

        private static func info(_ system: TestSystem) throws -> SnapshotInfo {
            try SnapshotInfo(json: JSONValue(parsing: system.expect("snapshot", "radio", "--json")))
        }

        private static func leave(_ system: TestSystem, after sequence: Int = 0) throws -> LogEntry {
            try system.play(["open radio", "home"])
            return try system.follower().wait("suspended", of: "radio", after: sequence)
        }

        private static func made(_ system: TestSystem, _ word: String) throws -> String {
            let patience = Patience()
            while true {
                if let line = system.output("radio").first(where: { $0.hasPrefix("made") && $0.contains(word) }) {
                    return line
                }
                guard !patience.isOver else { throw Trouble("no answer with \(word): \(system.output("radio"))") }
                try system.pass(seconds: 0.02)
            }
        }

        @Test(
            "The picture that an app gives when it has left the screen is kept, replaced, shown and removed with the app"
        )
        func kept() throws {
            let system = try TestSystem(device: .unhurried)
            defer { system.end() }
            try system.installPython(
                "radio", Self.app("write(svg(params['number']))", "reply('svg')"))
            let none = try system.run("snapshot", "radio")
            #expect(none.code == 1 && none.errors.contains("leaves the screen"))
            let first = try Self.leave(system)
            let info = try Self.info(system)
            #expect(info.kind == "svg" && info.width == 20 && info.height == 10 && !info.ignoredAtLaunch)
            let file = "\(system.folder)/radio.svg"
            let said = try system.expect("snapshot", "radio", "-o", file)
            #expect(said.contains("svg, 20 × 10"))
            #expect(FileSystem.read(file).map { String(decoding: $0, as: UTF8.self) }?.contains(">1<") == true)
            try system.play(["open radio", "home"])
            try system.follower().wait("suspended", of: "radio", after: first.seq)
            try system.expect("snapshot", "radio", "-o", file)
            #expect(FileSystem.read(file).map { String(decoding: $0, as: UTF8.self) }?.contains(">2<") == true)
            try system.play(["uninstall radio"])
            #expect(FileSystem.names(in: "\(system.home)/snapshots") == [])
        }

        @Test("Each picture has a place of its own, so that none takes another one's away, and nothing is left of it")
        func places() throws {
            let system = try TestSystem(device: .unhurried)
            defer { system.end() }
            try system.installPython(
                "radio", Self.app("write(svg(1))", "print('place', path, flush=True)", "reply('svg')"))
            let first = try Self.leave(system)
            _ = try Self.leave(system, after: first.seq)
            let places = system.output("radio").filter { $0.hasPrefix("place") }.map { String($0.dropFirst(6)) }
            #expect(places.count == 2 && Set(places).count == 2, "\(places)")
            let patience = Patience()
            while !patience.isOver, places.contains(where: FileSystem.exists) { try system.pass(seconds: 0.02) }
            #expect(!places.contains(where: FileSystem.exists))
        }

        @Test("What is no picture, too large, a link or late is refused, and the picture that there was stays")
        func rubbish() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython(
                "radio",
                Self.app(
                    "number = params['number']",
                    "if number == 1: write(svg('first')); reply('svg')",
                    "if number == 2: write(b'<html/>'); reply('svg')",
                    "if number == 3: write(svg('x' * most)); reply('svg')",
                    "if number == 4: os.symlink('/etc/shadow', path); reply('png')",
                    "if number == 5: os.mkfifo(path); reply('png')",
                    "if number == 6: time.sleep(0.8); write(svg('late')); reply('svg')",
                    "if number == 7: write(svg('last')); reply('svg')"))
            var last = try Self.leave(system)
            let words = [
                "says its size", "at most 524288 bytes", "cannot be read", "says its size", "waited for any more",
            ]
            for word in words {
                last = try Self.leave(system, after: last.seq)
                try system.play(["open radio"])
                _ = try Self.made(system, word)
                #expect(try Self.info(system).bytes < 100)
            }
        }

        @Test("A daemon that dies between the question and the picture leaves the old one, and the next one is taken")
        func killed() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython(
                "radio",
                Self.app(
                    "if params['number'] == 1 and not os.path.exists(app.home + '/killed'):",
                    "    open(app.home + '/killed', 'w').close()",
                    "    print('asked', flush=True)",
                    "    return",
                    "write(svg('after')); reply('svg')"))
            try system.play(["open radio", "home"])
            let patience = Patience()
            while !system.output("radio").contains("asked"), !patience.isOver { try system.pass(seconds: 0.01) }
            try PidFD(system.daemon).send(9)
            let suspended = try system.follower().wait("suspended", of: "radio")
            _ = try Self.leave(system, after: suspended.seq)
            #expect(try Self.info(system).kind == "svg")
        }

        @Test("Who gives no picture is suspended without waiting for one")
        func none() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("radio")
            _ = try Self.leave(system)
            #expect(FileSystem.names(in: "\(system.home)/snapshots") == [])
        }
    }
}
