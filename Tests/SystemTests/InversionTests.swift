import ContractSuite
import LinuxSystem
import Model
import Testing
import Wire

extension SystemTests {
    @Suite(
        "A main thread that waits for a thread of lower priority", .serialized,
        .enabled(if: ContractApps.areBuilt, "NOT TESTED: Misbehaver is not built"))
    struct Inversions {
        /// An app on screen whose main thread begins to wait.
        private func waiting(by means: String) throws -> TestSystem {
            // It is looked at soon, and the test machine may be slow.
            let system = try TestSystem(
                device: .linux {
                    $0.checkInterval = .milliseconds(300)
                    $0.mainThreadLimit = .seconds(100)
                })
            do {
                try system.expect("install", ContractApps.make(TestApp("radio", .application), in: system))
                try system.play(["open radio"])
                try system.order("radio", url: "misbehave://invert?by=\(means)")
            } catch {
                system.end()
                throw error
            }
            return system
        }

        @Test(
            "The log names the thread and why it comes later; the app goes on",
            arguments: [("mutex", "nice value 19"), ("idle", "SCHED_IDLE"), ("sync", "SCHED_IDLE")])
        func found(by means: String, because reason: String) throws {
            let system = try waiting(by: means)
            defer { system.end() }
            let entry = try system.follower().wait("priorityInversion", of: "radio")
            #expect(entry.reason?.contains("its own thread “lower”") == true, "\(entry)")
            #expect(entry.reason?.contains(reason) == true, "\(entry)")
            try PidFD(system.firstProcess("radio")).send(ContractApps.releaseSignal)
            let patience = Patience()
            while !system.output("radio").contains(where: { $0.hasSuffix(" waited") }) {
                guard !patience.isOver else { throw Trouble("\(system.output("radio").suffix(5))") }
                try system.pass(seconds: 0.02)
            }
            #expect(try system.app("radio").state == "active")
        }

        @Test(
            "A main thread that waits for a queue lends its nice value to the queue's thread",
            .enabled(if: CurrentProcess.canRaiseLimits, "NOT TESTED: apps may not rise (needs CAP_SYS_RESOURCE)"))
        func lent() throws {
            let system = try waiting(by: "lend")
            defer { system.end() }
            let process = try system.firstProcess("radio")
            func lower() -> Scheduling? {
                ProcFS().threads(process).first { ProcFS().threadName($0, of: process) == "lower" }
                    .flatMap { try? Scheduling(of: $0) }
            }
            let patience = Patience()
            let main = try Scheduling(of: process).nice
            // Before it waits the other has 19.
            while lower()?.nice != main, !patience.isOver { try system.pass(seconds: 0.02) }
            #expect(lower()?.nice == main)
            try PidFD(process).send(ContractApps.releaseSignal)
            while !system.output("radio").contains(where: { $0.hasSuffix(" waited") }) {
                guard !patience.isOver else { throw Trouble("\(system.output("radio").suffix(5))") }
                try system.pass(seconds: 0.02)
            }
        }
    }
}
