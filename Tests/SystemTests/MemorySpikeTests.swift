import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// Document D, on real processes: what a spike takes, and from whom.
    @Suite("Spikes", .serialized, .enabled(if: ContractApps.areBuilt, "NOT TESTED: Misbehaver is not built"))
    struct MemorySpikes {
        /// Microseconds of processor time of all that the app ever had.
        private func processorTime(_ app: String, _ system: TestSystem) throws -> Int64 {
            guard let group = system.cgroup,
                let time = try Cgroup(creating: "\(group)/app-\(app)").processorMicroseconds()
            else { throw Trouble("no cgroup of \(app) tells its processor time") }
            return time
        }

        private func hoard(_ app: String, _ system: TestSystem) throws -> [String: Int] {
            let words = try system.have(app, "hoard-state", says: "hoard ").split(separator: " ").dropFirst(2)
            let pairs = stride(from: words.startIndex, to: words.endIndex - 1, by: 2)
            return Dictionary(uniqueKeysWithValues: pairs.map { (String(words[$0]), Int(words[$0 + 1]) ?? -1) })
        }

        @Test(
            "Purgeable data of a suspended app vanish without it running: all of them are discarded then, none wrong",
            arguments: [1, 2])
        func purgeable(seed: Int) throws {
            let system = try TestSystem(memory: "600M")
            defer { system.end() }
            try system.installGreedy("tiles", "front")
            try system.play(["open tiles"])
            try system.have("tiles", "hoard?mb=200&seed=\(seed)", says: "hoards")
            let whole = try hoard("tiles", system)
            #expect(whole["discarded"] == 0 && whole["wrong"] == 0 && whole["valid"] == whole["objects"], "\(whole)")
            try system.play(["open front"])
            let log = try system.follower()
            try log.wait("suspended", of: "tiles")
            let before = try system.memory("what tiles has") { memory in
                (memory.apps.first { $0.app == "tiles" }?.purgeable ?? 0) >> 20 > 130
            }
            let used = try processorTime("tiles", system)
            let seen = try system.lastSequence
            while try system.entries("tiles").allSatisfy({ $0.seq <= seen || $0.event != "reclaimed" }) {
                try system.take(20, in: "front")
                try #require(try system.memory().level == "normal", "purgeable memory goes before anybody is warned")
            }
            let after = try system.memory(of: "tiles")
            #expect(after.purgeable < 1 << 20, "\(after)")
            let dirty = try #require(before.apps.first { $0.app == "tiles" }?.dirty)
            #expect(abs(after.dirty - dirty) < 1 << 20, "\(before), \(after)")
            #expect(system.isFrozen("tiles", try system.app("tiles").pids))
            #expect(try processorTime("tiles", system) == used, "it has run")
            try system.play(["open tiles"])
            let left = try hoard("tiles", system)
            #expect(left["wrong"] == 0 && left["lost"] == 0, "\(left)")
            #expect(left["valid"] == left["accessed"], "\(left)")
            #expect(left["discarded"].map { $0 + (left["accessed"] ?? 0) } == left["objects"], "\(left)")
            #expect(try system.reports("tiles").isEmpty && system.reports("front").isEmpty)
        }

        @Test(
            "With three apps on screen a spike takes purgeable memory, warns, ends the background, none of the three"
        )
        func documentD() throws {
            let system = try TestSystem(memory: "700M")
            defer { system.end() }
            let visible = ["primary", "secondary", "picture"]
            let hidden = ["tiles", "large", "player"]
            for name in hidden + visible { try system.installGreedy(name) }
            try system.play(["exempt player", "open tiles"])
            try system.have("tiles", "hoard?mb=100&seed=3", says: "hoards")
            try system.play(["open large"])
            try system.take(100, in: "large")
            try system.play(["open player"])
            try system.take(60, in: "player")
            try system.play(["open primary", "open secondary --as secondary", "open picture --as pip"])
            for name in visible { try system.take(30, in: name) }
            let log = try system.follower()
            try log.wait("suspended", of: "large")
            let pids = try visible.map { try system.firstProcess($0) }
            #expect(try visible.allSatisfy { try system.app($0).visible })
            let begin = try system.lastSequence
            // The 50:50 resize, and then some: as long as something can go. Who is warned has the time to hear of it.
            var taken = 0
            var isWarned = false
            while try system.ends().count < hidden.count {
                try system.take(10, in: "primary")
                taken += 10
                try #require(taken < 700)
                guard try !isWarned && system.memory().level != "normal" else { continue }
                for name in visible + ["player"] { try log.wait("didReceiveMemoryWarning", of: name) }
                isWarned = true
            }
            let entries = try system.entries().filter { $0.seq > begin }
            func first(_ event: String, _ app: String? = nil) throws -> Int {
                try #require(
                    entries.first { $0.event == event && (app == nil || $0.app == app) }?.seq, "\(event) \(app ?? "")")
            }
            #expect(try first("reclaimed", "tiles") < first("didReceiveMemoryWarning"))
            #expect(try first("didReceiveMemoryWarning") < first("terminated"))
            for name in visible + ["player"] { #expect(try system.warnings(name) > 0, "\(name)") }
            // What is suspended before what runs; a small app is gone more quickly than a large one.
            let ends = try system.entries().filter { $0.event == "terminated" }
            let player = try #require(ends.first { $0.app == "player" }?.secondOfDay)
            #expect(ends.allSatisfy { $0.secondOfDay < player + 0.25 })
            #expect(try system.ends().first == "large")
            for (name, pid) in zip(visible, pids) {
                let app = try system.app(name)
                #expect(app.pid == Int(pid) && app.visible, "\(app)")
                #expect(try system.reports(name).isEmpty)
            }
        }
    }
}
