import Foundation
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// Real processes, with places that the tool pretends: `docs/LOCATION.md`. What real sources say is in
    /// LocationSourcesTests.
    @Suite("Location", .enabled(if: Machine.isRoot, "NOT TESTED: needs root"))
    struct Location {
        private static let app = "org.greenroom.fixtures.wanderer"

        private func makeSystem() throws -> TestSystem {
            // Nothing listens there: the machine's own receiver has no say.
            let system = try TestSystem(environment: ["GREENROOM_GPSD": "/nonexistent/gpsd"])
            let bundle = "\(system.folder)/Wanderer.app"
            try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: "\(Machine.programs)/Wanderer", toPath: "\(bundle)/Wanderer")
            try FileManager.default.copyItem(
                atPath: "\(Machine.repository)/Fixtures/Wanderer/Info.plist", toPath: "\(bundle)/Info.plist")
            try system.expect("install", bundle)
            return system
        }

        private func status(_ system: TestSystem) throws -> JSONValue {
            try JSONValue(parsing: try system.expect("location", "status", "--json"))
        }

        private func receives(_ system: TestSystem) throws -> Bool {
            try status(system)["sources"]?.array?.first { $0["source"]?.string == "gps" }?["on"] == true
        }

        private func region(_ system: TestSystem, _ name: String) throws -> String? {
            let app = try status(system)["apps"]?.array?.first { $0["app"]?.string == Self.app }
            return app?["regions"]?.array?.first { $0["identifier"]?.string == name }?["state"]?.string
        }

        private func indicator(_ system: TestSystem) throws -> Bool {
            try status(system)["apps"]?.array?.first { $0["app"]?.string == Self.app }?["indicator"] == true
        }

        private func said(_ system: TestSystem, _ text: String) -> Bool {
            system.output(Self.app).contains { $0.hasSuffix(text) }
        }

        /// A crossing counts after twenty seconds.
        private func told(_ system: TestSystem, _ text: String) throws {
            for _ in 0..<120 where !said(system, text) { try system.pass(seconds: 0.5) }
            let why = try system.expect("location", "why", Self.app)
            #expect(said(system, text), "\(system.output(Self.app)) \(why)")
        }

        private func watching(_ system: TestSystem) throws {
            try system.expect("simulate", "location", "46.05", "14.50")
            try system.expect("open", "wanderer:monitor?name=office&at=46.06,14.50&radius=200")
            try system.play(["home"])
            try system.until("the first fix") { try region(system, "office") == "outside" }
        }

        @Test("An app that was ended is launched when the device has entered its region, and is suspended again")
        func region() throws {
            let system = try makeSystem()
            defer { system.end() }
            try watching(system)
            let pid = try #require(try system.app(Self.app).pid)
            try PidFD(CInt(pid)).send(9)
            try system.until("it is gone") { try system.app(Self.app).pid == nil }
            try system.expect("simulate", "location", "46.06", "14.50")
            try system.expect("simulate", "cell", "another")
            try told(system, "entered office")
            #expect(said(system, "launched for location"))
            try system.until("it is suspended") { try system.app(Self.app).state == "suspended" }
            #expect(try system.expect("location", "why", Self.app).contains("it was told inside"))
            // Nobody needs the receiver any more.
            try system.until("the receiver is off") { try !receives(system) }
        }

        @Test("What is decided is told by the next service and the next daemon, once")
        func kills() throws {
            let system = try makeSystem()
            defer { system.end() }
            try watching(system)
            let services = try JSONValue(parsing: try system.expect("services", "--json"))
            let service = services["services"]?.array?.first { $0["service"]?.string == "location" }
            try PidFD(CInt(#require(service?["pid"]?.int))).send(9)
            try system.until("it is there again") { try region(system, "office") == "outside" }
            try system.killDaemon()
            // What is pretended went with the service.
            try system.expect("simulate", "location", "46.06", "14.50")
            try system.expect("simulate", "cell", "another")
            try told(system, "entered office")
            #expect(system.output(Self.app).count { $0.hasSuffix("entered office") } == 1)
        }

        @Test("Updates go on behind the lock screen, and end with the app, with the user's leave, or when it stops")
        func updates() throws {
            let system = try makeSystem()
            defer { system.end() }
            try system.expect("simulate", "location", "46.05", "14.50")
            try system.expect("open", "wanderer:updates")
            try system.until("a fix") { said(system, "fix 46.05 14.5") }
            try system.play(["lock"])
            let before = system.output(Self.app).count
            try system.until("more fixes") { system.output(Self.app).count > before + 2 }
            #expect(try system.app(Self.app).state == "background" && receives(system))
            #expect(try system.expect("location").contains("Wanderer"))
            // It may always know, and has not asked for the indicator; with less leave it is shown in any case.
            #expect(try !indicator(system))
            try system.expect("location", "allow", Self.app, "--in-use")
            #expect(try indicator(system))
            #expect(try system.expect("location").contains("Indicator, out of sight: Wanderer"))
            try system.expect("location", "deny", Self.app)
            try system.until("it is suspended") { try system.app(Self.app).state == "suspended" }
            #expect(try !receives(system))
            try system.expect("location", "allow", Self.app, "--in-use")
            try system.play(["unlock"])
            try system.expect("open", "wanderer:updates")
            try system.until("the receiver is on") { try receives(system) }
            try system.expect("open", "wanderer:stop")
            try system.until("the receiver is off") { try !receives(system) }
        }

        @Test("The app that follows its location is charged for satellites until it stops")
        func energy() throws {
            let system = try makeSystem()
            defer { system.end() }
            func spent() throws -> (joules: Double, from: Double, to: Double) {
                let from = Double(Clock.boot()) / 1e9
                let info = try EnergyInfo(json: JSONValue(parsing: system.expect("energy", "--json")))
                let shares = info.shares.filter { $0.part == "gps" }
                #expect(shares.allSatisfy { $0.app == Self.app && $0.service == "location" })
                return (shares.reduce(0) { $0 + $1.joules }, from, Double(Clock.boot()) / 1e9)
            }
            try system.expect("simulate", "location", "46.05", "14.50")
            #expect(try spent().joules == 0)
            try system.expect("open", "wanderer:updates")
            try system.until("satellites are received") { try spent().joules > 0 }
            try system.play(["lock"])
            let first = try spent()
            try system.until("half a joule more") { try spent().joules > first.joules + 0.5 }
            let second = try spent()
            // 280 mW between the two readings.
            let joules = second.joules - first.joules
            #expect(joules > 0.28 * (second.from - first.to) - 0.001)
            #expect(joules < 0.28 * (second.to - first.from) + 0.001)
            try system.play(["unlock"])
            try system.expect("open", "wanderer:stop")
            try system.until("nothing more is spent") {
                let before = try spent().joules
                try system.pass(seconds: 0.3)
                return try spent().joules == before
            }
        }

        @Test("A notification waits for a place: it is shown though the app, both services and the daemon were killed")
        func notification() throws {
            let system = try makeSystem()
            defer { system.end() }
            try system.expect("simulate", "location", "46.05", "14.50")
            try system.expect("open", "wanderer:remind?name=milk&at=46.06,14.50&radius=200")
            try system.until("it has asked") { said(system, "reminds, allowed true") }
            try system.play(["home"])
            func places() throws -> [String: String] {
                let app = try status(system)["apps"]?.array?.first { $0["app"]?.string == Self.app }
                return (app?["places"]?.array ?? []).reduce(into: [:]) {
                    $0[$1["identifier"]?.string ?? ""] = $1["state"]?.string
                }
            }
            try system.until("its place is watched") { try places() == ["milk": "outside"] }
            try PidFD(CInt(#require(try system.app(Self.app).pid))).send(9)
            try system.killDaemon()
            let services = try JSONValue(parsing: try system.expect("services", "--json"))
            for service in services["services"]?.array ?? [] {
                guard let pid = service["pid"]?.int else { continue }
                try PidFD(CInt(pid)).send(9)
            }
            try system.until("it is watched still") { try places().keys.first == "milk" }
            try system.expect("simulate", "location", "46.06", "14.50")
            try system.expect("simulate", "cell", "another")
            func shown() throws -> Bool {
                try system.expect("notifications", "--json").contains("Buy milk")
                    && !system.expect("notifications", "list", "--json").contains("\"pending\":true")
            }
            for _ in 0..<120 {
                if try places().isEmpty { break }
                try system.pass(seconds: 0.5)
            }
            let why = try system.expect("location", "why", Self.app)
            #expect(try places().isEmpty && shown(), "\(why)")
            #expect(try system.app(Self.app).pid == nil)
        }

        @Test("What the tool is told wrongly it answers with a sentence, and goes on")
        func wrong() throws {
            let system = try makeSystem()
            defer { system.end() }
            for words in [["91", "0"], ["here"], ["1", "2", "3"]] {
                let child = try system.begin(["simulate", "location"] + words)
                #expect(try child.outcome().code == 2, "\(words)")
            }
            #expect(try system.run("simulate", "route", "/nonexistent.gpx").code == 2)
            try system.write("<gpx><trk>", to: "\(system.folder)/broken.gpx")
            let broken = try system.run("simulate", "route", "\(system.folder)/broken.gpx")
            #expect(broken.code == 1 && broken.errors.contains("broken.gpx"), "\(broken)")
            #expect(try system.run("location", "allow", "nobody").code == 1)
            #expect(try system.expect("location").contains("satellites"))
        }
    }
}
