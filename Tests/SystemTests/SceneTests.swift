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

        private static func shortcuts(_ system: TestSystem) throws -> [String] {
            let answer = try JSONValue(parsing: try system.run("shortcuts", app, "--json").output)
            return (answer["shortcuts"]?.array ?? []).compactMap { $0["title"]?.string }
        }

        @Test("Shortcuts of Info.plist and those that the app set are listed and chosen, also while it does not run")
        func shortcuts() throws {
            let system = try TestSystem()
            defer { system.end() }
            try Self.install(in: system)
            var told = 0
            #expect(try Self.shortcuts(system) == ["First page"])
            try system.expect("open", Self.app, ["--shortcut", "\(Self.app).first"])
            try Self.expect(
                ["launched", "connect page 0", "shortcut to 1", "foreground", "active"], after: &told, system)
            try system.expect("open", "reader:page/5")
            try Self.expect(["page 5"], after: &told, system)
            try system.play(["home"])
            try Self.expect(["resign", "background"], after: &told, system)
            #expect(try Self.shortcuts(system) == ["First page", "Page 5"])
            try system.expect("open", Self.app, ["--shortcut", "\(Self.app).first"])
            try Self.expect(["foreground", "shortcut to 1", "active"], after: &told, system)
            try system.expect("open", "reader:page/7")
            try Self.expect(["page 7"], after: &told, system)
            try system.play(["home", "close \(Self.app)"])
            try system.until("it is gone") { try system.app(Self.app).state == "not-running" }
            told = Self.log(system).count
            // The shortcut is the app's of before, which it finds again though it did not set it this time.
            try system.expect("open", Self.app, ["--shortcut", "\(Self.app).last"])
            try system.until("it turned the page") { Self.log(system).dropFirst(told).contains("shortcut to 7") }
            let refused = try system.run("open", Self.app, "--shortcut", "none")
            #expect(refused.code == 1 && refused.errors.contains("\(Self.app).first, \(Self.app).last"))
            #expect(try system.run("open", Self.app, "--info", "{}").code == 2)
        }

        @Test("What an app keeps as its shortcuts is read as a stranger's: a link, rubbish and too much do no harm")
        func hostileShortcuts() throws {
            let system = try TestSystem()
            defer { system.end() }
            try Self.install(in: system)
            let folder = "\(system.home)/containers/\(Self.app)/Library/Saved Application State"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let file = "\(folder)/shortcuts.plist"
            try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/etc/shadow")
            #expect(try system.run("shortcuts", Self.app).code == 1)
            try FileManager.default.removeItem(atPath: file)
            try "".write(toFile: file, atomically: false, encoding: .utf8)
            #expect(try system.run("shortcuts", Self.app).code == 1)
            let odd = "<plist><dict><key>UIApplicationShortcutItems</key><true/></dict></plist>"
            try odd.write(toFile: file, atomically: false, encoding: .utf8)
            #expect(try Self.shortcuts(system) == ["First page"])
            try Data(count: 1 << 20).write(to: URL(fileURLWithPath: file))
            #expect(try system.run("open", Self.app, "--shortcut", "\(Self.app).first").code == 1)
            try FileManager.default.removeItem(atPath: folder)
            try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: "/etc")
            #expect(try Self.shortcuts(system) == ["First page"])
        }

        @Test("An activity that is handed over launches the app with what belongs to it, and reaches one that runs")
        func activity() throws {
            let system = try TestSystem()
            defer { system.end() }
            try Self.install(in: system)
            var told = 0
            try system.expect("open", Self.app, ["--activity", "read", "--info", #"{"page": 6}"#])
            try Self.expect(["launched", "connect page 0", "read 6", "foreground", "active"], after: &told, system)
            try system.killDaemon()
            try system.expect("open", Self.app, ["--activity", "read again", "--info", #"{"page": 8}"#])
            try Self.expect(["read again 8"], after: &told, system)
            #expect(try system.run("open", Self.app, "--activity", "a", "--info", "[]").code == 2)
        }
    }
}
