import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// R4: the caches of frameworks are freed on entering the background, and refill on demand.
    @Suite(
        "Answers that an app keeps",
        .enabled(if: FileSystem.exists("\(Machine.programs)/Article"), "NOT TESTED: Article is not built"))
    struct KeptAnswers {
        private static let app = "org.greenroom.fixtures.article"

        @Test("In the background, and when it is warned, an app gives up answers in memory and keeps those on disk")
        func background() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installBuilt("Fixtures/Article")
            func ask(_ lines: [String]) throws {
                let before = system.output(Self.app).count
                try system.expect("open", "article://cache")
                try system.until("it says what it has") { system.output(Self.app).count >= before + 4 }
                #expect(Array(system.output(Self.app).dropFirst(before).prefix(4)) == lines)
            }
            let found = Array(repeating: "Found 500000 bytes", count: 3)
            try system.expect("open", Self.app)
            try ask(["Cached in memory false on disk false", "Found 0 bytes", "Found 0 bytes", found[0]])
            try ask(["Cached in memory true on disk true"] + found)
            try system.leave(Self.app)
            try ask(["Cached in memory false on disk true"] + found)
            let last = try system.lastSequence
            try system.play(["simulate memory-warning"])
            try system.follower().wait("didReceiveMemoryWarning", of: Self.app, after: last)
            try ask(["Cached in memory false on disk true"] + found)
            #expect(try system.reports(Self.app).isEmpty)
        }
    }
}
