import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// Apps that leak, that do not hear, that have as much as they may have (R2, R5, R6).
    @Suite("Leaks and limits", .serialized, .enabled(if: ContractApps.areBuilt, "NOT TESTED: Misbehaver is not built"))
    struct MemoryLimits {
        /// The end of an app by a limit of its own, in the words and numbers of its report.
        private func expectEnd(
            of app: String, by limit: String, on system: TestSystem, at location: SourceLocation = #_sourceLocation
        ) throws {
            try system.follower().wait("terminated", of: app)
            let report = try #require(try system.reports(app).first, sourceLocation: location)
            #expect(report.namespace == "JETSAM" && report.code == 7, "\(report)", sourceLocation: location)
            #expect(report.reason.contains("per-process-limit"), "\(report)", sourceLocation: location)
            #expect(report.reason.contains("the limit \(limit) MB of dirty"), "\(report)", sourceLocation: location)
            #expect(try system.app(app).pids.isEmpty, sourceLocation: location)
        }

        private func expectUnharmed(
            _ app: String, _ pid: CInt, on system: TestSystem, at location: SourceLocation = #_sourceLocation
        ) throws {
            #expect(try system.app(app).pid == Int(pid), "\(app)", sourceLocation: location)
            #expect(try system.reports(app).isEmpty, "\(app)", sourceLocation: location)
        }

        @Test("A leak as fast as pages can be written ends the app that leaks, beside another one on screen that stays")
        func fastLeak() throws {
            let system = try TestSystem(memory: "600M")
            defer { system.end() }
            try system.installGreedy("asleep", "leaking", "beside")
            try system.play(["open asleep", "open leaking", "open beside --as secondary"])
            let pid = try system.firstProcess("beside")
            try system.have("leaking", "leak?every=0&most=4000", says: "leaks")
            try system.follower().wait("terminated", of: "leaking")
            let report = try #require(try system.reports("leaking").first)
            // Whichever is seen first: that it has more than it may have, or that nothing is left.
            #expect(report.namespace == "JETSAM" && [4, 7].contains(report.code), "\(report)")
            #expect(report.reason.contains("MB of dirty"), "\(report)")
            try expectUnharmed("beside", pid, on: system)
        }

        @Test("A slow leak is told, and ends at its limit; nobody else does")
        func slowLeak() throws {
            let system = try TestSystem(memory: "200M")
            defer { system.end() }
            try system.installGreedy("asleep", "leaking")
            try system.play(["open asleep", "open leaking"])
            let asleep = try system.firstProcess("asleep")
            try system.takeAtOnce(130, in: "leaking")
            try system.have("leaking", "leak?every=100&most=300", says: "leaks")
            try system.follower().wait("didReceiveMemoryWarning", of: "leaking")
            try expectEnd(of: "leaking", by: "on screen is 160", on: system)
            try expectUnharmed("asleep", asleep, on: system)
        }

        @Test("A leak in the background ends at the smaller limit that is there")
        func backgroundLeak() throws {
            let system = try TestSystem(memory: "200M")
            defer { system.end() }
            try system.installGreedy("leaking", "front")
            try system.play(["exempt leaking", "open leaking"])
            try system.take(60, in: "leaking")
            try system.play(["open front"])
            let front = try system.firstProcess("front")
            try system.have("leaking", "leak?every=50&most=300", says: "leaks")
            try expectEnd(of: "leaking", by: "in the background is 100", on: system)
            try expectUnharmed("front", front, on: system)
        }

        @Test("A leak in a child process is its app's: both end")
        func childLeak() throws {
            let system = try TestSystem(memory: "200M")
            defer { system.end() }
            try system.installGreedy("leaking")
            try system.play(["open leaking"])
            let line = try system.have("leaking", "leak-child?every=5&most=1000", says: "leaks in")
            let child = try #require(line.split(separator: " ").last.flatMap { CInt($0) })
            try expectEnd(of: "leaking", by: "on screen is 160", on: system)
            let group = try #require(system.cgroup)
            #expect(Cgroup.processes(at: "\(group)/app-leaking").isEmpty)
            #expect(ProcFS().stat(child) == nil, "the child")
        }

        @Test("Who gives back what it can when it is warned lives, and so do all others")
        func heeds() throws {
            let system = try TestSystem(memory: "300M")
            defer { system.end() }
            try system.installGreedy("heedful", "front")
            try system.play(["exempt heedful", "open heedful"])
            try system.have("heedful", "spare?mb=80", says: "took 80")
            try system.play(["open front"])
            let pids = try ["heedful", "front"].map { try system.firstProcess($0) }
            let log = try system.follower()
            let budget = try system.memory().budget
            var taken: Int64 = 0
            while try system.warnings("heedful") == 0 {
                // Step by step: what an app gives back after its launch would add up.
                let before = try system.memory()
                try system.take(10, in: "front")
                taken += 10 << 20
                try #require(taken < budget)
                try system.memory("what front took") { memory in
                    let isSeen = memory.available < before.available - 10 << 20 + 4 << 20
                    return try isSeen || system.warnings("heedful") > 0
                }
            }
            try log.wait(for: "the end of the shortage") { $0.event == "memoryRecovered" }
            #expect(try system.memory(of: "heedful").dirty >> 20 < 40)
            for (app, pid) in zip(["heedful", "front"], pids) { try expectUnharmed(app, pid, on: system) }
        }

        @Test("Who ignores its warnings in the background ends when more is needed, and who is on screen does not")
        func ignores() throws {
            let system = try TestSystem(memory: "300M")
            defer { system.end() }
            try system.installGreedy("ignoring", "front")
            try system.play(["exempt ignoring", "open ignoring"])
            try system.take(110, in: "ignoring")
            try system.play(["open front"])
            let front = try system.firstProcess("front")
            try system.have("front", "leak?every=5&most=190", says: "leaks")
            try system.follower().wait("terminated", of: "ignoring")
            #expect(try system.warnings("ignoring") > 0)
            let report = try #require(try system.reports("ignoring").first)
            #expect(report.namespace == "JETSAM" && report.code == 4, "\(report)")
            #expect(report.reason.contains("vm-pageshortage") && report.reason.contains("was the next to go"))
            try expectUnharmed("front", front, on: system)
        }

        @Test("Who stays near its limit is warned once, and lives")
        func nearLimit() throws {
            let system = try TestSystem(memory: "400M")
            defer { system.end() }
            try system.installGreedy("near")
            try system.play(["open near"])
            let pid = try system.firstProcess("near")
            // Between 290 and 315 of 320 MB: never below nine tenths again.
            try system.takeAtOnce(290, in: "near")
            try system.have("near", "waver?mb=20&every=40", says: "wavers")
            try system.follower().wait("didReceiveMemoryWarning", of: "near")
            try system.pass(seconds: 3)
            let times = try system.entries("near").filter { $0.event == "didReceiveMemoryWarning" }.map(\.at)
            #expect(times.count == 1, "\(times)")
            #expect(try system.memory(of: "near").limit == 400 * (1 << 20) / 1000 * 800)
            try expectUnharmed("near", pid, on: system)
        }
    }
}
