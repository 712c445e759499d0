import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// Memory that no process shows as its own: shared by forks, or in no process at all (R1, R2).
    @Suite("Unseen memory", .serialized) struct UnseenMemory {
        /// An app that does something with each URL `NAME:NUMBER`.
        private func install(_ name: String, _ body: String, on system: TestSystem) throws {
            let delegate = """

                class Delegate(Base):
                    def on_openURL(self, params):
                        obey(int(params["url"].split(":")[1]))
                """
            try system.installPython(
                name, body + delegate,
                keys: """
                    <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>
                    <array><string>\(name)</string></array></dict></array>
                    """)
        }

        private func expectEnd(of app: String, on system: TestSystem) throws {
            try system.follower().wait("terminated", of: app)
            let report = try #require(try system.reports(app).first)
            // Whichever is seen first: that it has more than it may have, or that nothing is left.
            #expect(report.namespace == "JETSAM" && [4, 7].contains(report.code), "\(report)")
        }

        @Test("What forks share counts once; what they write to it is seen, and ends the app that writes")
        func forks() throws {
            let system = try TestSystem(memory: "400M")
            defer { system.end() }
            try system.installAllocator("asleep", dirty: 20)
            try install(
                "forking",
                """
                import mmap
                held = mmap.mmap(-1, 60 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
                for page in range(0, 60 << 20, 4096): held[page] = 1
                orders = []

                def child(order):
                    written = 0
                    while os.read(order, 1):
                        for page in range(written << 20, (written + 15) << 20, 4096): held[page] = 2
                        written += 15

                def obey(number):
                    for _ in range(number):
                        order, giver = os.pipe()
                        if os.fork() == 0: child(order)
                        orders.append(giver)
                    if number == 0:
                        for giver in orders: os.write(giver, b"x")
                """, on: system)
            try system.play(["open asleep", "open forking"])
            let (asleep, seen) = (try system.firstProcess("asleep"), try system.lastSequence)
            // Nine times sixty megabytes, as far as their sizes tell, in a system of four hundred.
            try system.play(["open forking:8"])
            try system.pass(seconds: 1)
            let shared = try system.memory(of: "forking").dirty >> 20
            #expect(shared >= 60 && shared < 110, "\(shared)")
            #expect(try system.app("forking").memory.dirty.map { $0 >> 20 < 110 } == true)
            try system.play(["open forking:0"])
            try system.memory("what the children wrote") { memory in
                memory.apps.contains { $0.app == "forking" && $0.dirty >> 20 > 170 }
            }
            let ends = try system.ends(after: seen)
            let reasons = try ends.map { try system.expect("why", $0) }
            #expect(ends == [], "\(reasons)")
            #expect(try system.firstProcess("asleep") == asleep)
            try system.play(["open forking:0"])
            _ = try system.run("open", "forking:0")
            try expectEnd(of: "forking", on: system)
        }

        private static let hiding = """
            file = os.memfd_create("hidden")

            def obey(number):
                for _ in range(number): os.write(file, b"x" * (1 << 20))
            """

        @Test("What an app hides is seen, also when another program gives back as much at that moment")
        func masked() throws {
            let system = try TestSystem(memory: "400M")
            defer { system.end() }
            try install("hiding", Self.hiding, on: system)
            let other = try Child(
                "/usr/bin/python3",
                [
                    "-c",
                    """
                    import mmap, sys
                    held = mmap.mmap(-1, 300 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
                    for page in range(0, 300 << 20, 4096): held[page] = 1
                    print("taken", flush=True)
                    sys.stdin.readline()
                    held.close()
                    print("given back", flush=True)
                    sys.stdin.readline()
                    """,
                ], environment: [:])
            try #require(other.line(Patience()) == "taken")
            try system.play(["open hiding"])
            try other.write("give\n")
            try system.play(["open hiding:80"])
            try #require(other.line(Patience()) == "given back")
            try system.memory("what the app hides") { memory in
                memory.apps.contains { $0.app == "hiding" && $0.dirty >> 20 > 80 }
            }
        }

        @Test("A file in memory that nobody maps counts with the app that has it open, and ends it")
        func files() throws {
            let system = try TestSystem(memory: "400M")
            defer { system.end() }
            try system.installAllocator("asleep", dirty: 20)
            try install("hiding", Self.hiding, on: system)
            try system.play(["open asleep", "open hiding"])
            let seen = try system.lastSequence
            try system.play(["open hiding:80"])
            try system.memory("what the app hides") { memory in
                memory.apps.contains { $0.app == "hiding" && $0.dirty >> 20 > 80 }
            }
            #expect(try system.ends(after: seen).isEmpty)
            // More than the system has, so that reclaiming from others does not save it.
            _ = try system.run("open", "hiding:400")
            try expectEnd(of: "hiding", on: system)
            #expect(try !system.ends(after: seen).isEmpty)
        }
    }
}
