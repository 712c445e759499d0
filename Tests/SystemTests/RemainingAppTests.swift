import ContractSuite
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// R2: of two apps on the screen one ends, and the user finds the one that remains.
    @Suite("What remains on the screen", .enabled(if: ContractApps.areBuilt, "NOT TESTED: Misbehaver is not built"))
    struct RemainingApp {
        /// How the primary app ends, and what its report says; without a report, an empty text.
        struct End: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let namespace: String
            let perform: @Sendable (TestSystem) throws -> Void
        }

        private static let ends = [
            End(testDescription: "it crashes", namespace: "SIGNAL") { try $0.order("maps", url: "misbehave://crash") },
            End(testDescription: "it exits with an error", namespace: "EXIT") {
                try $0.order("maps", url: "misbehave://exit?code=3")
            },
            End(testDescription: "it is killed from outside", namespace: "SIGNAL") {
                try PidFD($0.firstProcess("maps")).send(9)
            },
            End(testDescription: "the user closes it", namespace: "") { try $0.play(["close maps"]) },
        ]

        @Test(
            "The primary app ends: the secondary one has the whole screen, and has received no callback",
            arguments: ends)
        func primaryEnds(_ end: End) throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installGreedy("maps", "mail", "notes")
            try system.play(["open maps", "open mail --as secondary"])
            #expect(try system.status().front == "maps")
            let (pid, last) = try (system.firstProcess("mail"), system.lastSequence)
            try end.perform(system)
            try system.follower().wait("terminated", of: "maps", after: last)
            #expect(try system.status().front == "mail")
            #expect(try system.expect("status").contains("mail in front"))
            let mail = try system.app("mail")
            #expect(mail.front && mail.visible && mail.role == "primary" && mail.state == "active")
            #expect(try system.callbacks("mail", after: last).isEmpty && mail.pid == Int(pid))
            #expect(try system.reports("maps").map(\.namespace) == (end.namespace.isEmpty ? [] : [end.namespace]))
            // The next app takes its place, and may have it beside itself again.
            try system.play(["open notes"])
            try system.follower().wait("suspended", of: "mail", after: last)
            try system.play(["open mail --as secondary"])
            #expect(try system.status().front == "notes" && system.app("mail").role == "secondary")
            try system.play(["home"])
            #expect(try system.status().front == nil)
        }

        @Test("The daemon dies with the primary app: the next daemon finds the secondary one on the whole screen")
        func withTheDaemon() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installGreedy("maps", "mail")
            try system.play(["open maps", "open mail --as secondary"])
            let maps = try PidFD(system.firstProcess("maps"))
            let last = try system.lastSequence
            try PidFD(system.daemon).send(9)
            try maps.send(9)
            try system.follower().wait("terminated", of: "maps", after: last)
            #expect(try system.status().front == "mail")
            #expect(try system.app("mail").state == "active")
        }

        @Test("The secondary app ends: the primary one stays in front, and a picture alone is not in front")
        func secondaryEnds() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installGreedy("maps", "mail", "video")
            try system.play(["open maps", "open mail --as secondary", "open video --as pip"])
            try system.crash("mail")
            #expect(try system.status().front == "maps")
            try system.crash("maps")
            #expect(try system.status().front == nil)
            #expect(try system.expect("status").contains("home screen"))
            let video = try system.app("video")
            #expect(video.role == "pip" && video.visible && video.state == "active")
        }
    }
}
