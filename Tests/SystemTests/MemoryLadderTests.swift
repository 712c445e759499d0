import LinuxSystem
import TestPace
import Testing
import Wire

extension SystemTests {
    /// As Android tests its low memory killer: allocators, one for each rank.
    @Suite("The ladder", .serialized, .enabled(if: ContractApps.areBuilt, "NOT TESTED: Misbehaver is not built"))
    struct MemoryLadder {
        /// Feeds processes one megabyte after another, in turn and by weight, so many a second in all, until all but
        /// the last are gone. Each round begins when the one before is eaten: on a busy machine nobody runs ahead.
        private static let feeder = """
            import os, signal, sys, time
            pace = float(sys.argv[1])
            eaters = {}
            for number, argument in enumerate(sys.argv[2:]):
                pid, weight = map(int, argument.split(":"))
                eaters[number] = (pid, os.pidfd_open(pid), weight)
            turns = sorted(((turn + 0.5) / eater[2], number) for number, eater in eaters.items()
                           for turn in range(eater[2]))
            last = len(eaters) - 1
            fed, begin = {number: 0 for number in eaters}, time.monotonic()

            def hungry(pid):
                try:
                    with open(f"/proc/{pid}/status") as file:
                        return all(not line.startswith("SigQ:") or line.split()[1].startswith("0/") for line in file)
                except (FileNotFoundError, ProcessLookupError):
                    return True

            while len(eaters) > 1:
                while not all(hungry(pid) for pid, _, _ in eaters.values()):
                    time.sleep(0.001)
                for _, number in turns:
                    if number not in eaters:
                        continue
                    try:
                        signal.pidfd_send_signal(eaters[number][1], \(TestSystem.feedSignal))
                        fed[number] += 1
                    except ProcessLookupError:
                        del eaters[number]
                    time.sleep(max(0, begin + sum(fed.values()) / pace - time.monotonic()))
            took = time.monotonic() - begin
            while not hungry(eaters[last][0]):
                time.sleep(0.001)
            print(sum(fed.values()), fed[last], took)
            """

        /// Megabytes: small devices have small ladders, whose allocators grow as much more slowly.
        private static let budget = min(1200, Int((ProcessMemory.machine()?.total ?? 0) >> 20) / 2)
        /// 1 MB a millisecond on a machine; a device is emulated.
        private static let pace = budget * 1000 / 1200

        /// What runs in the background, and how much of each cycle is its; whoever is to go first in front.
        private static let runners: [(name: String, weight: Int)] = zip(1..., [4, 4, 4, 4, 3, 3, 3, 3, 3, 2]).map {
            ("rank-\($0)", $1)
        }
        private static let sleepers = ["old", "new"]
        private static let front = "front"
        private static let frontWeight = 3

        /// The more an app is used, the later it goes, and a larger one goes before a smaller one: no two are alike.
        private func use(_ system: TestSystem) throws {
            for (name, share) in zip(Self.sleepers, [16, 24]) {
                try system.installGreedy(name)
                try system.play(["open \(name)"])
                try system.take(Self.budget / share, in: name)
            }
            for runner in Self.runners {
                try system.installGreedy(runner.name)
                try system.play(["open \(runner.name)"])
                try system.take(runner.weight * Self.budget / 100, in: runner.name)
            }
            // What is suspended has been looked at.
            try system.play(["home"])
            for runner in Self.runners { try system.follower().wait("suspended", of: runner.name) }
            for runner in Self.runners { try system.play(["exempt \(runner.name)"]) }
            for first in Self.runners.indices {
                for runner in Self.runners[first...] { try system.play(["open \(runner.name)"]) }
            }
            try system.installGreedy(Self.front)
            try system.play(["open \(Self.front)"])
            try system.memory("what the apps took") { memory in
                Self.runners.allSatisfy { runner in
                    let dirty = memory.apps.first { $0.app == runner.name }?.dirty ?? 0
                    return dirty >> 20 >= runner.weight * Self.budget / 100
                }
            }
        }

        private func decisions(_ system: TestSystem) throws -> [(app: String, decided: Double)] {
            try system.entries().filter { $0.event == "terminated" }
                .map { (app: $0.app ?? "", decided: $0.secondOfDay - ($0.took ?? 0)) }
                .sorted { $0.decided < $1.decided }
        }

        /// What was known of each when its end was decided, for whoever has to find out why it was not another's turn.
        private func account(_ system: TestSystem) throws -> String {
            let decided = try decisions(system)
            return try decided.map { end in
                let after = end.decided - (decided.first?.decided ?? 0)
                return "\(end.app) after \(after) s: \(try system.reports(end.app).first?.reason ?? "no report")"
            }.joined(separator: "\n")
        }

        /// Who ended, in the order in which it was decided. Those of whom it was decided at once come as in `order`.
        private func ends(_ system: TestSystem, _ order: [String]) throws -> [String] {
            let ends = try decisions(system)
            var groups: [[(app: String, decided: Double)]] = []
            for end in ends {
                // The log's times have six digits.
                if let first = groups.last?.first, end.decided - first.decided < 0.000_01 {
                    groups[groups.count - 1].append(end)
                } else {
                    groups.append([end])
                }
            }
            func rank(_ end: (app: String, decided: Double)) -> Int {
                order.firstIndex(of: end.app) ?? order.count
            }
            return groups.flatMap { $0.sorted { rank($0) < rank($1) } }.map(\.app)
        }

        @Test(
            "Eleven apps that together take 1 MB a millisecond end in the order of their ranks, and none that is seen")
        func ladder() throws {
            let system = try TestSystem(memory: "\(Self.budget)M")
            defer { system.end() }
            try use(system)
            let before = try system.memory()
            let order = before.apps.filter { $0.next != nil }.sorted { ($0.next ?? 0) < ($1.next ?? 0) }.map(\.app)
            #expect(order == Self.sleepers + Self.runners.map(\.name), "\(before)")
            #expect(before.level == "normal", "\(before)")
            let pid = try system.firstProcess(Self.front)
            let eaters =
                try Self.runners.map { "\(try system.firstProcess($0.name)):\($0.weight)" }
                + ["\(pid):\(Self.frontWeight)"]
            let python = try #require(Machine.find("python3"))
            let feeder = try Child(python, ["-c", Self.feeder, "\(Self.pace)"] + eaters, environment: [:]).outcome()
            let fed = feeder.output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
            try #require(fed.count == 3, "\(feeder.errors)")
            print("the ladder: \(fed[0]) MB in \(fed[2]) s, \(fed[1]) of them for the app on screen")
            for name in order { try system.follower().wait("terminated", of: name) }
            let account = try account(system)
            #expect(try ends(system, order) == order, "\(account)")
            print(account)
            for name in order {
                let report = try #require(try system.reports(name).first, "\(name)")
                #expect(report.namespace == "JETSAM" && report.code == 4, "\(name): \(report)")
                #expect(report.reason.contains("MB of dirty"))
            }
            #expect(try system.reports(Self.front).isEmpty)
            let seen = try system.app(Self.front)
            #expect(seen.state == "active" && seen.pid == Int(pid), "\(seen)")
            // It grew as the others did, and as quickly as they were fed.
            // The kernel's word: nobody looks at it again once memory is enough.
            let grown = try #require(ProcFS().memory(pid))
            #expect(Double(grown.dirty >> 20) > fed[1] * 0.8, "\(grown)")
            // A machine that does other things as well feeds more slowly.
            #expect(fed[0] / fed[2] > Double(Self.pace) * 0.25 / Pace.slowness, "as many MB a second as were meant")
        }
    }
}
