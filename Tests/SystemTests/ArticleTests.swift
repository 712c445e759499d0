import Foundation
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// The code of “Multitasking in iOS 7” on real processes: who is told what, and in which order.
    @Suite(
        "The article's background transfer", .serialized,
        .enabled(if: Article.isBuilt, "NOT TESTED: Article is not built"))
    struct Articles {
        private static let app = "org.greenroom.fixtures.article"
        private static let session = "io.objc.backgroundTransferExample"
        private static let launch = ["Launched in background true", "Snapshot"]
        private static let rejoining = "Rejoining session with identifier \(session)"
        private static let ending = [
            "Background URL session \(session) finished events.", "Calling completion handler for session \(session)",
            "Snapshot",
        ]

        /// What the app has printed since a moment at which it had printed so many lines, when it sleeps again.
        private func printed(
            since known: Int, _ server: Article, _ system: TestSystem, kills: Bool
        ) throws -> [String] {
            let start = try system.entries().last?.seq ?? 0
            if kills {
                try PidFD(CInt(#require(system.app(Self.app).pid))).send(9)
                try system.follower().wait("terminated", of: Self.app, after: start)
            }
            try server.release()
            let woken = try system.follower().wait(
                "handleEventsForBackgroundURLSession", of: Self.app, after: start, seconds: 60)
            try system.follower().wait("suspended", of: Self.app, after: woken.seq)
            return Array(system.output(Self.app).dropFirst(known))
        }

        /// A download under way, of a server that says nothing yet; the app sleeps.
        private func begin(_ query: String, _ server: Article) throws -> TestSystem {
            let system = try TestSystem(device: .unhurried)
            try system.expect("install", Article.bundle(in: system.folder))
            try system.expect("open", server.notification("size=1000&\(query)"))
            try system.play(["home"])
            try system.follower().wait("suspended", of: Self.app)
            #expect(system.output(Self.app) == ["Launched in background false", "Snapshot"])
            return system
        }

        @Test(
            "What came is told, then the end, then that all is; the handler is called, a picture taken, and it sleeps",
            arguments: [false, true])
        func download(isKilled: Bool) throws {
            let server = try Article()
            let system = try begin("held=1", server)
            // The server ends with the object, which nothing else keeps until then.
            defer { withExtendedLifetime(server) { system.end() } }
            let lines = try printed(since: 2, server, system, kills: isKilled)
            #expect(
                lines == (isKilled ? Self.launch : []) + [
                    Self.rejoining, "Podcast Episode 42 didFinishDownloadingTo 1000 bytes",
                    "Podcast Episode 42 didCompleteWithError nil",
                ] + Self.ending)
        }

        @Test("A server that wants to know who asks wakes the app, or has it launched, and again when it is done")
        func challenge() throws {
            let server = try Article()
            let system = try begin("held=2&auth=basic", server)
            // The server ends with the object, which nothing else keeps until then.
            defer { withExtendedLifetime(server) { system.end() } }
            let asked = try printed(since: 2, server, system, kills: true)
            let question = "Podcast Episode 42 didReceive challenge of 127.0.0.1"
            #expect(asked == Self.launch + [Self.rejoining, question] + Self.ending)
            let told = try printed(since: 2 + asked.count, server, system, kills: false)
            #expect(
                told == [
                    Self.rejoining, "Podcast Episode 42 didFinishDownloadingTo 1000 bytes",
                    "Podcast Episode 42 didCompleteWithError nil",
                ] + Self.ending)
        }
    }
}

/// The article's server, which answers when it is told to.
private final class Article {
    private static let folder = "\(Machine.repository)/Fixtures/Article"
    static let isBuilt = FileSystem.exists("\(Machine.programs)/Article") && FileSystem.exists(folder)

    private let server: Child
    private let port: String

    init() throws {
        let script = "\(Machine.repository)/Fixtures/servers/misbehaving.py"
        server = try Child(#require(Machine.find("python3")), [script], environment: [:])
        port = try server.line(Patience())
    }

    /// The URL that has the app download what that query asks for.
    func notification(_ query: String) throws -> String {
        var url = try #require(URLComponents(string: "article://notify"))
        url.queryItems = [
            URLQueryItem(name: "content-id", value: "42"),
            URLQueryItem(name: "at", value: "http://127.0.0.1:\(port)/file?\(query)&key=article"),
        ]
        return try #require(url.string)
    }

    /// One answer more is given.
    func release() throws {
        let curl = try #require(Machine.find("curl"))
        let outcome = try Child(
            curl, ["-sSf", "http://127.0.0.1:\(port)/release?key=article"], environment: [:]
        ).outcome()
        #expect(outcome.code == 0, "\(outcome.errors)")
    }

    /// The bundle as an app's developer would ship it.
    static func bundle(in folder: String) throws -> String {
        let bundle = "\(folder)/Article.app"
        let files = FileManager.default
        try files.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        try files.copyItem(atPath: "\(Self.folder)/Info.plist", toPath: "\(bundle)/Info.plist")
        try files.copyItem(atPath: "\(Machine.programs)/Article", toPath: "\(bundle)/Article")
        return bundle
    }
}
