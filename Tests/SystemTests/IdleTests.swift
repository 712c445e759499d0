import LinuxSystem
import Testing
import Wire

extension SystemTests {
    @Suite("A system in which nothing happens", .serialized) struct Idle {
        @Test("Neither the daemon nor its keeper wakes, whatever they have done before")
        func sleepsOn() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("app")
            try system.installPython("other")
            try system.play(["open app", "open other", "home"])
            try system.follower().wait("suspended", of: "other")
            // Removes a tree, which takes threads that nothing else takes.
            try system.play(["uninstall other"])
            let both = [try system.keeper(), try system.daemon]
            // What was begun ends by and by; what comes again every second never does.
            var wakeups: Int64 = -1
            for _ in 0..<12 where wakeups != 0 {
                let before = both.compactMap { ProcFS().contextSwitches($0) }.reduce(0, +)
                try system.pass(seconds: 2.5)
                wakeups = both.compactMap { ProcFS().contextSwitches($0) }.reduce(0, +) - before
            }
            #expect(wakeups == 0)
        }
    }
}
