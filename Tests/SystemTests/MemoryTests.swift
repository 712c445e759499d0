import LinuxSystem
import Model
import Testing
import Wire

extension SystemTests {
    /// Real allocations, under a budget of the system's own.
    @Suite("Memory", .serialized) struct Memory {
        @Test("A spike takes purgeable memory first, then warns, then ends background apps; what is on screen stays")
        func spike() throws {
            let system = try TestSystem(memory: "300M")
            defer { system.end() }
            try system.installAllocator("cache", dirty: 10, purgeable: 60)
            try system.installAllocator("big", dirty: 70)
            try system.installAllocator("front", dirty: 5)
            try system.play(["open cache", "open big", "open front"])
            let log = try system.follower()
            try log.wait("suspended", of: "big")
            let pid = try system.app("front").pid
            // Purgeable: enough for this much. How much of what is clean counts depends on who else maps it.
            var seen = try system.lastSequence
            try system.expect("open", "front:60")
            try system.expect("open", "front:\((system.memory().available >> 20) - 54)")
            try log.wait("reclaimed", of: "cache", after: seen)
            #expect(try system.app("cache").state == "suspended")
            #expect(try system.app("big").state == "suspended")
            // More, until it is warned.
            while try system.entries("front").allSatisfy({ $0.event != "didReceiveMemoryWarning" }) {
                try system.expect("open", "front:8")
                guard try system.memory().level == "normal" else {
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
            let info = try system.memory()
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
            let take = "held.extend(bytearray(b'x' * (1 << 20)) for _ in range(number)); print('took', flush=True)"
            try system.installAllocator("greedy", dirty: 5, openURL: take)
            try system.play(["open greedy"])
            var opens = 0
            while try system.app("greedy").state == "active", opens < 60 {
                _ = try system.run("open", "greedy:5")
                opens += 1
                // On a busy machine it would take what several asked for at once, and nobody could warn it.
                try system.until("greedy took what was asked for, or has ended") {
                    try system.output("greedy").count >= opens || system.app("greedy").state != "active"
                }
                // Who asks makes the system look: on a busy machine it would see the last of it first.
                _ = try system.memory()
            }
            try system.follower().wait("terminated", of: "greedy")
            let report = try #require(try system.reports("greedy").first)
            #expect(report.namespace == "JETSAM" && report.code == 7, "\(report)")
            #expect(report.reason.contains("the limit on screen is 160 MB"))
            let entries = try system.entries("greedy").suffix(30)
            let told = entries.map { "\($0.at) \($0.event) \($0.reason ?? "")" }
            #expect(
                entries.contains { $0.event == "didReceiveMemoryWarning" },
                "after \(opens) times 5 MB: \(told.joined(separator: "\n"))")
        }

        @Test("apps and memory show one figure, which is the one that chooses who goes first")
        func oneFigure() throws {
            let system = try TestSystem(memory: "600M")
            defer { system.end() }
            for (name, size) in [("small", 8), ("large", 90), ("front", 20)] {
                try system.installAllocator(name, dirty: size, purgeable: size)
                try system.play(["open \(name)"])
            }
            let log = try system.follower()
            for name in ["small", "large"] { try log.wait("suspended", of: name) }
            func figures() throws -> [String: [Int64]] {
                Dictionary(
                    uniqueKeysWithValues: try system.memory().apps.map { ($0.app, [$0.dirty, $0.purgeable, $0.clean]) })
            }
            // An app that runs is looked at now and then: what counts is what both say between two looks.
            let patience = Patience()
            while true {
                let before = try figures()
                let (text, table) = (try system.expect("apps"), try system.expect("memory"))
                let apps = try system.apps()
                let after = try figures()
                if before != after, !patience.isOver { continue }
                #expect(before == after && before.count == 3)
                for app in apps {
                    let (had, memory) = (try #require(after[app.app]), app.memory)
                    #expect([memory.dirty, memory.purgeable, memory.clean] == had.map { Int($0) }, "\(app)")
                    for shown in [text, table] {
                        let row = shown.split(separator: "\n").first { $0.contains(app.app) } ?? ""
                        #expect(row.contains(" \(had[0].mebibytes) "), "\(had[0].mebibytes) in \(row)")
                    }
                }
                break
            }
            let info = try system.memory()
            func app(_ name: String) throws -> MemoryInfo.App { try #require(info.apps.first { $0.app == name }) }
            #expect(try app("large").next == 1 && app("small").next == 2 && app("front").next == nil)
            #expect(try app("large").dirty > 90 << 20 && app("large").dirty < 120 << 20)
        }

        @Test("A simulated warning reaches every app that runs; simulated pressure ends nobody")
        func simulated() throws {
            let system = try TestSystem()
            defer { system.end() }
            for name in ["asleep", "front"] { try system.installAllocator(name, dirty: 10) }
            try system.play(["open asleep", "open front"])
            try system.follower().wait("suspended", of: "asleep")
            try system.play(["simulate memory-warning"])
            try system.follower().wait("didReceiveMemoryWarning", of: "front")
            let seen = try system.lastSequence
            try system.play(["simulate memory-pressure critical"])
            try system.follower().wait("didReceiveMemoryWarning", of: "front", after: seen)
            #expect(try system.memory().level == "critical")
            #expect(try system.memory().simulated == "critical")
            try system.play(["simulate memory-pressure normal"])
            #expect(try system.memory().level == "normal")
            #expect(try !system.callbacks("asleep").contains("didReceiveMemoryWarning"))
            #expect(try system.app("asleep").state == "suspended")
            #expect(try system.reports("asleep").isEmpty && system.reports("front").isEmpty)
        }
    }
}
