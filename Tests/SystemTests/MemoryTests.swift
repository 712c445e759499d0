import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// Real allocations, under a budget of the system's own.
    @Suite("Memory", .serialized) struct Memory {
        /// Megabytes of an app that allocates in Python: dirty at its launch, purgeable, and dirty with each URL that
        /// it opens, `NAME:MEGABYTES`.
        private func install(_ name: String, on system: TestSystem, dirty: Int, purgeable: Int = 0) throws {
            let body = """
                import mmap
                held = [bytearray(b"x" * (1 << 20)) for _ in range(\(dirty))]
                if \(purgeable):
                    cache = mmap.mmap(-1, max(1, \(purgeable)) << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
                    cache.write(b"x" * (\(purgeable) << 20))
                    cache.madvise(8)  # MADV_FREE

                class Delegate(Base):
                    def on_openURL(self, params):
                        for _ in range(int(params["url"].split(":")[1])):
                            held.append(bytearray(b"x" * (1 << 20)))
                """
            try system.installPython(
                name, body,
                keys: """
                    <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>
                    <array><string>\(name)</string></array></dict></array>
                    """)
        }

        private func memory(_ system: TestSystem) throws -> MemoryInfo {
            try MemoryInfo(json: JSONValue(parsing: system.expect("memory", "--json")))
        }

        @Test("A spike takes purgeable memory first, then warns, then ends background apps; what is on screen stays")
        func spike() throws {
            let system = try TestSystem(memory: "300M")
            defer { system.end() }
            try install("cache", on: system, dirty: 10, purgeable: 60)
            try install("big", on: system, dirty: 70)
            try install("front", on: system, dirty: 5)
            try system.play(["open cache", "open big", "open front"])
            let log = try system.follower()
            try log.wait("suspended", of: "big")
            let pid = try system.app("front").pid
            // Purgeable: enough for this much. How much of what is clean counts depends on who else maps it.
            var seen = try system.lastSequence
            try system.expect("open", "front:60")
            try system.expect("open", "front:\((memory(system).available >> 20) - 54)")
            try log.wait("reclaimed", of: "cache", after: seen)
            #expect(try system.app("cache").state == "suspended")
            #expect(try system.app("big").state == "suspended")
            // More, until it is warned.
            while try system.entries("front").allSatisfy({ $0.event != "didReceiveMemoryWarning" }) {
                try system.expect("open", "front:8")
                guard try memory(system).level == "normal" else {
                    try log.wait("didReceiveMemoryWarning", of: "front", after: seen)
                    break
                }
            }
            #expect(try system.reports("big").isEmpty, "nobody has ended so far")
            // And more, until something has to go: the large one, and nothing else.
            seen = try system.lastSequence
            try system.expect("open", "front:40")
            try log.wait("terminated", of: "big", after: seen)
            let report = try #require(try system.reports("big").first)
            #expect(report.namespace == "JETSAM" && report.code == 4)
            #expect(report.reason.contains("MB of dirty"))
            #expect(try system.app("front").pid == pid)
            #expect(try system.app("front").state == "active")
            #expect(try system.app("cache").state == "suspended")
            let info = try memory(system)
            #expect(info.budget == 300 << 20)
            #expect(info.apps.first { $0.app == "front" }?.next == nil)
            #expect(info.apps.first { $0.app == "cache" }?.next == 1)
            let used = info.apps.reduce(0) { $0 + $1.dirty + $1.purgeable + $1.clean }
            #expect(abs(info.budget - used - info.available) < 20 << 20, "\(info)")
        }

        @Test("An app that has more than one may have ends, with its numbers, and a warning came before")
        func ownLimit() throws {
            let system = try TestSystem(memory: "200M")
            defer { system.end() }
            try install("greedy", on: system, dirty: 5)
            try system.play(["open greedy"])
            var opens = 0
            while try system.app("greedy").state == "active", opens < 60 {
                _ = try system.run("open", "greedy:5")
                opens += 1
            }
            try system.follower().wait("terminated", of: "greedy")
            let report = try #require(try system.reports("greedy").first)
            #expect(report.namespace == "JETSAM" && report.code == 7, "\(report)")
            #expect(report.reason.contains("the limit on screen is 160 MB"))
            #expect(try system.callbacks("greedy").contains("didReceiveMemoryWarning"))
        }

        @Test("A simulated warning reaches every app that runs; simulated pressure ends nobody")
        func simulated() throws {
            let system = try TestSystem()
            defer { system.end() }
            for name in ["asleep", "front"] { try install(name, on: system, dirty: 10) }
            try system.play(["open asleep", "open front"])
            try system.follower().wait("suspended", of: "asleep")
            try system.play(["simulate memory-warning"])
            try system.follower().wait("didReceiveMemoryWarning", of: "front")
            let seen = try system.lastSequence
            try system.play(["simulate memory-pressure critical"])
            try system.follower().wait("didReceiveMemoryWarning", of: "front", after: seen)
            #expect(try memory(system).level == "critical")
            #expect(try memory(system).simulated == "critical")
            try system.play(["simulate memory-pressure normal"])
            #expect(try memory(system).level == "normal")
            #expect(try !system.callbacks("asleep").contains("didReceiveMemoryWarning"))
            #expect(try system.app("asleep").state == "suspended")
            #expect(try system.reports("asleep").isEmpty && system.reports("front").isEmpty)
        }
    }
}
