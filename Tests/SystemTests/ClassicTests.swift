import Foundation
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    @Suite("Code of iOS", .serialized) struct Classic {
        private static let app = "org.greenroom.examples.classic"

        @Test("An app of code that nobody changed lives on a daemon, and what it set outlives its process")
        func life() throws {
            let system = try TestSystem()
            defer { system.end() }
            let bundle = "\(system.folder)/Classic.app"
            try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: "\(Machine.programs)/Classic", toPath: "\(bundle)/Classic")
            try FileManager.default.copyItem(
                atPath: "\(Machine.repository)/Examples/Classic/Info.plist", toPath: "\(bundle)/Info.plist")
            try system.expect("install", bundle)
            try system.expect("open", Self.app)
            let output = "run/\(Self.app)/output"
            try system.until("it says what os_log wrote, and not \(system.contents(output) ?? "nothing")") {
                system.contents(output)?.contains("launched with 0 options") == true
            }
            try system.play(["home"])
            try system.until("it is suspended") { try system.app(Self.app).state == "suspended" }
            try PidFD(CInt(#require(system.app(Self.app).pid))).send(9)
            try system.until("it is gone") { try system.app(Self.app).state == "not-running" }
            let container = "\(system.home)/containers/\(Self.app)"
            let files = FileManager.default.enumerator(atPath: container)?.compactMap { $0 as? String } ?? []
            #expect(files.contains { $0.hasSuffix(".plist") }, "UserDefaults is in none of \(files)")
            try system.expect("open", Self.app)
            #expect(try system.app(Self.app).state == "active")
        }
    }
}
