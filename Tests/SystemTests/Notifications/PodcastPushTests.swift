import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// The push of “Multitasking in iOS 7”: a provider tells of an episode, the app has it downloaded while it sleeps,
    /// and notifies the user when it is there.
    @Suite(
        "An episode by push", .serialized, .enabled(if: Podcasts.isBuilt, "NOT TESTED: Podcasts is not built"),
        .enabled(if: PushGate.isThere, "NOT TESTED: needs greenroom-pushgate, curl and openssl"))
    struct PodcastPushes {
        private static let app = "org.greenroom.examples.podcasts"

        private func printed(_ words: String, _ system: TestSystem) -> String? {
            system.output(Self.app).last { $0.contains(words) }
        }

        @Test(
            "A silent push begins a download, whose end wakes the app, which notifies; a tap on that opens it",
            arguments: [false, true])
        func episode(isKilled: Bool) throws {
            let server = try Podcasts(bytesPerSecond: 1_000_000)
            let system = try TestSystem()
            // The server ends with the object, which nothing else keeps until then.
            defer { withExtendedLifetime(server) { system.end() } }
            try system.play(["simulate network wifi"])
            let gate = try PushGate(in: system.folder)
            try gate.connect(system)
            try system.expect("install", Podcasts.bundle(in: system.folder))
            try system.expect("open", "podcasts://subscribe?feed=\(server.feed)")
            try system.until("it has a token") { printed("registered for pushes", system) != nil }
            let token = try #require(printed("registered for pushes", system)?.split(separator: " ").last)
            try system.play(["home"])
            try system.until("it sleeps") { try system.app(Self.app).state == "suspended" }
            let payload = #"{"aps":{"content-available":1},"content-id":2,"title":"Number two"}"#
            let answer = try gate.send(payload, to: String(token), topic: Self.app, type: "background")
            #expect(answer.status == 200)
            try system.until("it is told") { printed("told of episode-2: 1 new", system) != nil }
            try system.until("it sleeps meanwhile") { try system.app(Self.app).state == "suspended" }
            if isKilled { try PidFD(CInt(#require(system.app(Self.app).pid))).send(9) }
            try system.until("the user is notified") { try !system.shown().isEmpty }
            let shown = try #require(try system.shown().first)
            #expect(try system.shown().count == 1)
            #expect(shown["request"]?["content"]?["body"]?.string == "Number two is ready to play.")
            #expect(printed("downloaded episode-2", system) != nil)
            try system.until("it sleeps again") { try system.app(Self.app).state == "suspended" }
            try system.expect("notifications", "act", #require(shown["id"]?.string))
            try system.until("it plays") { printed("playing episode-2", system) != nil }
            #expect(try system.app(Self.app).state == "active")
            #expect(printed("Number two  2000 kB", system) != nil)
        }
    }
}
