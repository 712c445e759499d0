import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// S4: another cell resumes a suspended app, and launches one that has ended.
    @Suite("Significant changes", .enabled(if: Machine.isRoot, "NOT TESTED: needs root"))
    struct SignificantChanges {
        private static let app = "org.greenroom.fixtures.wanderer"

        private func makeSystem(_ device: Device? = nil) throws -> TestSystem {
            let system = try TestSystem(device: device, environment: TestSystem.withoutReceiver)
            try system.installBuilt("Fixtures/Wanderer")
            return system
        }

        private func why(_ system: TestSystem) throws -> String { try system.expect("location", "why", Self.app) }

        @Test("In 2010 each tower resumes a suspended app and launches one that has ended, until it stops listening")
        func everyTower() throws {
            let system = try makeSystem(.named("iphone-3gs"))
            defer { system.end() }
            let log = try system.follower()
            try system.enterCell("first", 46.05, 14.5)
            try system.expect("open", "wanderer:significant")
            // The place that is known comes first.
            try system.said("fix 46.05 14.5", by: Self.app)
            let pid = try system.app(Self.app).pid
            var last = try system.leave(Self.app)

            // A kilometre and a half, twice.
            for (name, longitude) in [("second", 14.52), ("third", 14.54)] {
                try system.enterCell(name, 46.05, longitude)
                try log.wait("resumed", of: Self.app, after: last)
                try system.said("fix 46.05 \(longitude)", by: Self.app)
                last = try log.wait("suspended", of: Self.app, after: last).seq
                #expect(try system.app(Self.app).pid == pid)
            }
            // As exactly as the cell, and not by satellites.
            #expect(system.output(Self.app).count { $0.hasSuffix("within 900 m") } == 3)
            #expect(try !system.receivesSatellites())

            last = try system.crash(Self.app)
            try system.enterCell("fourth", 46.05, 14.56)
            try log.wait("launchedInBackground", of: Self.app, after: last)
            try system.said("fix 46.05 14.56", by: Self.app)
            try system.said("launched for location", by: Self.app)
            try log.wait("suspended", of: Self.app, after: last)

            try system.expect("open", "wanderer:significant?on=false")
            try system.until("it has stopped") { try why(system).contains("it wants to know nothing") }
            last = try system.leave(Self.app)
            try system.enterCell("fifth", 46.05, 14.58)
            try system.pass(seconds: 0.5)
            #expect(try system.entries(Self.app).allSatisfy { $0.seq <= last }, "nothing wakes it")
            #expect(!system.output(Self.app).contains { $0.hasSuffix("fix 46.05 14.58") })
        }

        @Test("Today the first place resumes a suspended app; less than five minutes later the next one waits")
        func fiveMinutes() throws {
            let system = try makeSystem()
            defer { system.end() }
            let log = try system.follower()
            // It is not known where its tower stands.
            try system.expect("simulate", "cell", "somewhere")
            try system.expect("open", "wanderer:significant")
            try system.until("it is listening") { try why(system).contains("significant changes: nothing") }
            var last = try system.leave(Self.app)
            try system.enterCell("first", 46.05, 14.5)
            try log.wait("resumed", of: Self.app, after: last)
            try system.said("fix 46.05 14.5", by: Self.app)
            last = try log.wait("suspended", of: Self.app, after: last).seq

            // A hundred and fifty metres are not significant, three kilometres are, but too soon.
            try system.enterCell("near", 46.05, 14.502)
            #expect(try why(system).contains("significant changes: nothing since the last one"))
            try system.enterCell("far", 46.05, 14.54)
            try system.until("the next one waits") { try why(system).contains("a significant change waits for") }
            // It has come back before that was told.
            try system.enterCell("first", 46.05, 14.5)
            try system.until("nothing waits") { try why(system).contains("nothing since the last one") }
            #expect(try system.entries(Self.app).allSatisfy { $0.seq <= last }, "nothing wakes it meanwhile")
        }

        @Test("A change that comes while the service and the app are dead launches the app, once")
        func deaths() throws {
            let system = try makeSystem(.named("iphone-4"))
            defer { system.end() }
            let log = try system.follower()
            try system.enterCell("first", 46.05, 14.5)
            try system.expect("open", "wanderer:significant")
            try system.said("fix 46.05 14.5", by: Self.app)
            try system.leave(Self.app)
            let last = try system.crash(Self.app)
            let services = try JSONValue(parsing: try system.expect("services", "--json"))
            let service = services["services"]?.array?.first { $0["service"]?.string == "location" }
            try PidFD(CInt(#require(service?["pid"]?.int))).send(9)
            try system.killDaemon()
            try system.until("the service is there again") {
                try system.run("location", "why", Self.app).code == 0
            }
            // What was pretended went with the service: any cell is news for it.
            try system.enterCell("second", 46.05, 14.52)
            try log.wait("launchedInBackground", of: Self.app, after: last)
            try system.said("fix 46.05 14.52", by: Self.app)
            try log.wait("suspended", of: Self.app, after: last)
            #expect(system.output(Self.app).count { $0.hasSuffix("fix 46.05 14.52") } == 1)
        }
    }
}
