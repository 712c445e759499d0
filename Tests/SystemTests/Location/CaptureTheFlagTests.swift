import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// Document B's game, by the example that is in Examples/CaptureTheFlag.
    @Suite(
        "Capture the flag", .enabled(if: Machine.isRoot, "NOT TESTED: needs root"),
        .enabled(if: FileSystem.exists("\(Machine.programs)/CaptureTheFlag"), "NOT TESTED: it is not built"))
    struct CaptureTheFlag {
        private static let app = "org.greenroom.examples.capturetheflag"
        private static let flags = "mine=46.05,14.50&theirs=46.07,14.54&radius=150"

        private func makeSystem(_ device: Device? = nil) throws -> TestSystem {
            let system = try TestSystem(device: device, environment: TestSystem.withoutReceiver)
            try system.installBuilt("Examples/CaptureTheFlag")
            return system
        }

        /// The other side of the map: where it listens is its first line.
        private func makeServer(_ players: String...) throws -> (server: Child, address: String) {
            let python = try #require(Machine.find("python3"))
            let script = "\(Machine.repository)/Examples/CaptureTheFlag/server.py"
            let server = try Child(python, [script, "0"] + players, environment: [:])
            let line = try server.line(Patience())
            return (server, String(line.dropFirst("listens at ".count)))
        }

        /// The map that was drawn last with Ana on it, and who is on it.
        private func map(_ system: TestSystem) throws -> (lines: [String], players: [String]) {
            let output = system.output(Self.app)
            let end = try #require(output.lastIndex { $0.hasPrefix("ana, within") })
            let players = output[end...].prefix { $0.contains(", within") }
            return (Array(output[..<end].suffix(11)), Array(players))
        }

        private func title(of notification: JSONValue) -> String? {
            notification["request"]?["content"]?["title"]?.string
        }

        private func titles(_ system: TestSystem) throws -> [String] { try system.shown().compactMap(title) }

        @Test(
            "A player's place is on everyone's map: by cells, in a task when out of sight, in a new process if it ended"
        )
        func sharesItsPlace() throws {
            let system = try makeSystem(.named("iphone-4"))
            defer { system.end() }
            let log = try system.follower()
            let (server, address) = try makeServer("ben=46.08,14.52")
            try system.enterCell("first", 46.05, 14.5)
            try system.expect("open", "capture:play?\(Self.flags)&name=ana&server=\(address)")
            #expect(try server.line(Patience()) == "ana 46.05 14.5 within 900")
            try system.said("ben, within 1000 m", by: Self.app)
            try system.said("ana, within 900 m", by: Self.app)
            let drawn = try map(system)
            // North is up: Ben is above both flags, and Ana stands where her own flag is.
            #expect(drawn.players == ["ana, within 900 m", "ben, within 1000 m"], "\(drawn)")
            #expect(drawn.lines.first?.contains("b") == true, "\(drawn)")
            #expect(drawn.lines.last?.first == "a", "\(drawn)")
            #expect(drawn.lines.contains { $0.last == "⚐" }, "\(drawn)")

            var last = try system.leave(Self.app)
            try system.enterCell("second", 46.06, 14.52)
            try log.wait("resumed", of: Self.app, after: last)
            #expect(try server.line(Patience()) == "ana 46.06 14.52 within 900")
            // A task gives the server the time that it needs, were that more than the wake has.
            for event in ["taskBegan", "taskEnded"] {
                try log.wait(for: "its task: \(event)", after: last) { entry in
                    entry.app == Self.app && entry.event == event && entry.reason?.contains("share the place") == true
                }
            }
            last = try log.wait("suspended", of: Self.app, after: last).seq

            last = try system.crash(Self.app)
            try system.enterCell("third", 46.07, 14.54)
            try log.wait("launchedInBackground", of: Self.app, after: last)
            #expect(try server.line(Patience()) == "ana 46.07 14.54 within 900")
            try system.said("· launched since the device is elsewhere", by: Self.app)
            last = try log.wait("suspended", of: Self.app, after: last).seq

            // The map comes again with the app, and the player goes from it with the game.
            try system.expect("open", "capture:stop")
            #expect(try server.line(Patience()) == "ana left")
            try system.leave(Self.app)
            #expect(try system.reports(Self.app).count { $0.namespace != "SIGNAL" } == 0)
        }

        @Test(
            "At the enemy's flag a suspended player is alerted, at the own flag one whose app has ended; a tap opens it"
        )
        func captures() throws {
            let system = try makeSystem()
            defer { system.end() }
            let log = try system.follower()
            func arrive(_ latitude: Double, _ longitude: Double, _ title: String) throws {
                try system.expect("simulate", "location", "\(latitude)", "\(longitude)")
                try system.expect("simulate", "cell", "\(latitude)-\(longitude)")
                // A crossing counts after twenty seconds.
                let patience = Patience(seconds: 120)
                while try !titles(system).contains(title) {
                    guard !patience.isOver else {
                        let why = try system.expect("location", "why", Self.app)
                        throw Trouble("no “\(title)”: \(try titles(system)) \(system.output(Self.app)) \(why)")
                    }
                    try system.pass(seconds: 0.2)
                }
            }
            try system.expect("simulate", "location", "46.06", "14.52")
            try system.expect("open", "capture:play?\(Self.flags)")
            try system.said("Their flag stands. Captured so far: 0", by: Self.app)
            var last = try system.leave(Self.app)
            let pid = try system.app(Self.app).pid
            // Only who has been outside of a region can enter it.
            try system.until("it is at neither flag") {
                let why = try system.expect("location", "why", Self.app)
                return ["mine", "theirs"].allSatisfy { why.contains("“\($0)”: outside") }
            }

            try arrive(46.07, 14.54, "You have their flag")
            try log.wait("resumed", of: Self.app, after: last)
            last = try log.wait("suspended", of: Self.app, after: last).seq
            #expect(try system.app(Self.app).pid == pid)

            last = try system.crash(Self.app)
            try arrive(46.05, 14.5, "Captured!")
            try log.wait("launchedInBackground", of: Self.app, after: last)
            try system.said("· launched since the device is elsewhere", by: Self.app)
            try log.wait("suspended", of: Self.app, after: last)
            // Nothing is received for it any longer than it takes to be sure.
            try system.until("the receiver is off") { try !system.receivesSatellites() }

            let captured = try #require(try system.shown().first { title(of: $0) == "Captured!" })
            try system.expect("notifications", "act", #require(captured["id"]?.string))
            try system.until("it is on the screen") { try system.status().front == Self.app }
            try system.said("Their flag stands. Captured so far: 1", by: Self.app)
        }
    }
}
