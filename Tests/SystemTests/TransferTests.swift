import ContractSuite
import Foundation
import Glibc
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// Background transfers through daemon, service and app: Podcasts, and a server that knows nothing of Greenroom.
    @Suite("Transfers", .serialized, .enabled(if: Podcasts.isBuilt, "NOT TESTED: Podcasts is not built"))
    struct Transfers {
        private static let app = "org.greenroom.examples.podcasts"

        private func expect(
            soon what: Comment, _ system: TestSystem, seconds: Double = Patience.usual, _ condition: () throws -> Bool
        ) throws {
            let patience = Patience(seconds: seconds)
            while try !condition(), !patience.isOver { try system.pass(seconds: 0.05) }
            let (printed, transfers) = (system.output(Self.app), try system.run("transfers").output)
            #expect(try condition(), "\(what): it printed \(printed), and there are \(transfers)")
        }

        private func begin(_ server: Podcasts) throws -> TestSystem {
            let system = try TestSystem()
            try system.expect("install", Podcasts.bundle(in: system.folder))
            try system.expect("open", "podcasts://subscribe?feed=\(server.feed)")
            try system.play(["home"])
            try system.follower().wait("suspended", of: Self.app)
            return system
        }

        private func last(_ system: TestSystem) throws -> Int { try system.entries().last?.seq ?? 0 }

        private func service(_ system: TestSystem) throws -> CInt {
            let text = try #require(system.contents("services/transfers/pid"))
            return try #require(text.split(separator: " ").first.flatMap { CInt($0) })
        }

        private func printed(_ words: String, _ system: TestSystem) -> Int {
            system.output(Self.app).count { $0.contains(words) }
        }

        /// The app has heard of everything, and sleeps again.
        private func finish(_ system: TestSystem, after: Int) throws {
            try expect(soon: "the events", system, seconds: 60) { printed("finished the events", system) > 0 }
            try expect(soon: "suspended", system) { try system.app(Self.app).state == "suspended" }
            #expect(printed("downloaded episode-1", system) == 1)
            #expect(printed("downloaded episode-2", system) == 1)
            let events = try system.entries(Self.app).filter { $0.seq > after }.map(\.event)
            #expect(events.contains("handleEventsForBackgroundURLSession"))
            try system.play(["open podcasts"])
            try expect(soon: "the episodes", system) { printed("2000 kB", system) >= 2 }
        }

        @Test("A fetch begins downloads that go on while the app is suspended, which is then woken to hear of them")
        func suspended() throws {
            let server = try Podcasts(bytesPerSecond: 300_000)
            let system = try begin(server)
            // The server ends with the object, which nothing else keeps until then.
            defer { withExtendedLifetime(server) { system.end() } }
            let start = try last(system)
            let process = try system.app(Self.app).pid
            try system.play(["simulate fetch podcasts"])
            try expect(soon: "downloads", system) {
                try system.expect("transfers", "--json").contains("\"running\"")
            }
            try expect(soon: "suspended", system) { try system.app(Self.app).state == "suspended" }
            try finish(system, after: start)
            #expect(try system.app(Self.app).pid == process)
        }

        @Test("An app that was killed is launched for what its downloads came to", arguments: [false, true])
        func killed(withService: Bool) throws {
            let server = try Podcasts(bytesPerSecond: 300_000)
            let system = try begin(server)
            // The server ends with the object, which nothing else keeps until then.
            defer { withExtendedLifetime(server) { system.end() } }
            try system.play(["simulate fetch podcasts"])
            try expect(soon: "downloads", system) {
                try system.expect("transfers", "--json").contains("\"running\"")
            }
            try expect(soon: "suspended", system) { try system.app(Self.app).state == "suspended" }
            let start = try last(system)
            try PidFD(CInt(#require(system.app(Self.app).pid))).send(9)
            if withService { try PidFD(service(system)).send(9) }
            try finish(system, after: start)
        }

        @Test("The daemon's death is no concern of a download's, and its successor hears how it went")
        func daemonKilled() throws {
            let server = try Podcasts(bytesPerSecond: 300_000)
            let system = try begin(server)
            // The server ends with the object, which nothing else keeps until then.
            defer { withExtendedLifetime(server) { system.end() } }
            try system.play(["simulate fetch podcasts"])
            try expect(soon: "downloads", system) {
                try system.expect("transfers", "--json").contains("\"running\"")
            }
            try expect(soon: "suspended", system) { try system.app(Self.app).state == "suspended" }
            let (start, before) = (try last(system), try service(system))
            try PidFD(system.daemon).send(9)
            try system.follower().wait(for: "the daemon's restart") { $0.event == "daemonRestarted" }
            try finish(system, after: start)
            #expect(try service(system) == before)
        }

        @Test("A tool that meets a service that hangs is served by the one that takes its place")
        func hanging() throws {
            let server = try Podcasts()
            let system = try TestSystem()
            defer { withExtendedLifetime(server) { system.end() } }
            let episode = server.feed.replacing("feed.xml", with: "episode-1.mp3")
            try system.expect("transfer", episode, "-o", "\(system.folder)/first.mp3", "--wait")
            let before = try service(system)
            try PidFD(before).send(SIGSTOP)
            try system.expect("transfer", episode, "-o", "\(system.folder)/second.mp3", "--wait")
            #expect(try service(system) != before)
        }

        @Test(
            "What the service moves is the app's in the account of energy; what can wait waits for its radio",
            .enabled(if: Machine.ownName != nil, "this machine's name does not lead to itself"))
        func energy() throws {
            let host = try #require(Machine.ownName)
            let server = try Podcasts()
            let feed = server.feed.replacing("127.0.0.1", with: host)
            let system = try TestSystem()
            // The server ends with the object, which nothing else keeps until then.
            defer { withExtendedLifetime(server) { system.end() } }
            let log = try system.follower()
            try system.play(["simulate network cellular"])
            try log.wait(for: "the network to be told") {
                $0.event == "conditionChanged" && $0.reason?.contains("cellular") == true
            }
            let low = ["transfer", feed, "-o", "\(system.folder)/feed.xml", "--priority", "low"]
            let id = try system.expect(low[0], Array(low.dropFirst())).trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(try system.expect("transfers", "why", id).contains("the radio is cold"))
            let episode = feed.replacing("feed.xml", with: "episode-1.mp3")
            try system.expect("transfer", episode, "-o", "\(system.folder)/episode.mp3", "--wait")
            try expect(soon: "the file that could wait", system) {
                FileSystem.exists("\(system.folder)/feed.xml")
            }
            // Its bytes are told a second later, and were over the network of their time.
            try system.play(["simulate network wifi"])
            // What an app asks for in the background waits for a network that costs nothing.
            try system.expect("install", Podcasts.bundle(in: system.folder))
            try system.play(["open podcasts://subscribe?feed=\(feed)", "home"])
            try log.wait("suspended", of: Self.app)
            try system.play(["simulate fetch podcasts"])
            try expect(soon: "the events", system) { printed("finished the events", system) > 0 }
            try expect(soon: "the account", system) {
                let info = try EnergyInfo(json: JSONValue(parsing: system.expect("energy", "--json")))
                let shares = info.shares.filter { $0.service == "transfer" && $0.joules > 0 }
                let (tool, app) = (shares.filter { $0.app == nil }, shares.filter { $0.app == Self.app })
                return tool.map(\.part) == ["cellular"] && app.map(\.part) == ["wifi"] && info.received > 6_000_000
            }
        }

        @Test("Nothing is left of the service when the system is down, and the next one goes on where it was")
        func down() throws {
            let server = try Podcasts(bytesPerSecond: 300_000)
            let system = try begin(server)
            // The server ends with the object, which nothing else keeps until then.
            defer { withExtendedLifetime(server) { system.end() } }
            try system.play(["simulate fetch podcasts"])
            try expect(soon: "bytes", system) {
                let list = try JSONValue(parsing: Array(system.expect("transfers", "--json").utf8))
                return list.array?.contains { ($0["received"]?.int ?? 0) > 200_000 } == true
            }
            let process = try PidFD(service(system))
            try system.play(["down"])
            #expect(process.isDead)
            try system.up()
            try expect(soon: "the events", system, seconds: 60) { printed("finished the events", system) > 0 }
            #expect(printed("downloaded episode-1", system) == 1)
        }

        @Test("Who is uninstalled has no transfers any more")
        func uninstalled() throws {
            let server = try Podcasts(bytesPerSecond: 100_000)
            let system = try begin(server)
            // The server ends with the object, which nothing else keeps until then.
            defer { withExtendedLifetime(server) { system.end() } }
            try system.play(["simulate fetch podcasts"])
            try expect(soon: "downloads", system) {
                try system.expect("transfers", "--json").contains("\"running\"")
            }
            try system.expect("uninstall", Self.app)
            try expect(soon: "none", system) { try !system.expect("transfers", "--json").contains("\"running\"") }
        }
    }
}

/// A feed with two episodes, as slow as it is told.
final class Podcasts {
    static let example = "\(Machine.repository)/Examples/Podcasts"
    static let isBuilt =
        FileSystem.exists("\(Machine.programs)/Podcasts") && FileSystem.exists("\(example)/server.py")

    let feed: String
    private let server: Child

    init(bytesPerSecond: Int = 1_000_000) throws {
        let script = """
            import runpy, socket, sys
            with socket.create_server(("127.0.0.1", 0)) as probe: port = probe.getsockname()[1]
            sys.argv = [sys.argv[1], str(port), "2", sys.argv[2]]
            runpy.run_path(sys.argv[0], run_name="__main__")
            """
        server = try Child(
            #require(Machine.find("python3")),
            ["-c", script, "\(Self.example)/server.py", "\(bytesPerSecond)"], environment: [:])
        feed = try server.line(Patience())
    }

    /// The bundle as it is shipped.
    static func bundle(in folder: String) throws -> String {
        let bundle = "\(folder)/Podcasts.app"
        let files = FileManager.default
        try files.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        try files.copyItem(atPath: "\(example)/Info.plist", toPath: "\(bundle)/Info.plist")
        try files.copyItem(atPath: "\(Machine.programs)/Podcasts", toPath: "\(bundle)/Podcasts")
        return bundle
    }
}
