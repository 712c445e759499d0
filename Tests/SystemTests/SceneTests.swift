import Foundation
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    @Suite("Scenes", .serialized) struct Scenes {
        private static let app = "org.greenroom.fixtures.reader"

        private static func install(in system: TestSystem) throws {
            let bundle = "\(system.folder)/Reader.app"
            try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: "\(Machine.programs)/Reader", toPath: "\(bundle)/Reader")
            try FileManager.default.copyItem(
                atPath: "\(Machine.repository)/Fixtures/Reader/Info.plist", toPath: "\(bundle)/Info.plist")
            try system.expect("install", bundle)
        }

        private static func log(_ system: TestSystem) -> [String] {
            (system.contents("containers/\(app)/Documents/log") ?? "").split(separator: "\n").map(String.init)
        }

        /// What it has been told since; waits for the last of it.
        private static func expect(_ words: [String], after count: inout Int, _ system: TestSystem) throws {
            let begin = count
            try system.until("\(words), of \(log(system))") { log(system).count >= begin + words.count }
            #expect(Array(log(system).dropFirst(begin)) == words)
            count += words.count
        }

        @Test("A scene lives as its app does, and what it shows outlives a process that is killed")
        func life() throws {
            let system = try TestSystem()
            defer { system.end() }
            try Self.install(in: system)
            var told = 0
            try system.expect("open", Self.app)
            try Self.expect(["launched", "connect page 0", "foreground", "active"], after: &told, system)
            try system.expect("open", "reader:page/7")
            try Self.expect(["page 7"], after: &told, system)
            try system.play(["home"])
            try Self.expect(["resign", "background"], after: &told, system)
            try system.until("it is suspended") { try system.app(Self.app).state == "suspended" }
            try PidFD(CInt(#require(system.app(Self.app).pid))).send(9)
            try system.until("it is gone") { try system.app(Self.app).state == "not-running" }
            try system.expect("open", Self.app)
            // What was set in the last moment was written, though the process was killed.
            let words = ["launched", "connect page 7", "read 1 times", "foreground", "active"]
            try Self.expect(words, after: &told, system)
            try system.play(["home"])
            try Self.expect(["resign", "background"], after: &told, system)
            try system.expect("open", Self.app)
            try Self.expect(["foreground", "active"], after: &told, system)
        }

        @Test("A URL that launches the app is with its scene from the beginning, after the daemon was killed as well")
        func url() throws {
            let system = try TestSystem()
            defer { system.end() }
            try Self.install(in: system)
            var told = 0
            try system.expect("open", "reader:page/3")
            try Self.expect(["launched", "connect page 0", "page 3", "foreground", "active"], after: &told, system)
            try system.killDaemon()
            try system.expect("open", "reader:page/4")
            try Self.expect(["page 4"], after: &told, system)
            try system.play(["close \(Self.app)"])
            try system.until("it is told of its end") { Self.log(system).last == "terminate" }
            #expect(Self.log(system).dropFirst(told).contains("disconnect"))
            #expect(!Self.log(system).contains("application"))
        }
    }
}
