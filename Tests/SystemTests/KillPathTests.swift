import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// What is ready for a shortage before it comes.
    @Suite("The kill path", .serialized) struct KillPath {
        private func install(_ name: String, on system: TestSystem, megabytes: Int, openURL: String) throws {
            let body = """
                import mmap
                held = [bytearray(b"x" * (1 << 20)) for _ in range(\(megabytes))]

                class Delegate(Base):
                    def on_openURL(self, params):
                        number = int(params["url"].split(":")[1])
                        \(openURL)
                """
            try system.installPython(
                name, body,
                keys: """
                    <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>
                    <array><string>\(name)</string></array></dict></array>
                    """)
        }

        private func memory(_ system: TestSystem) throws -> MemoryInfo {
            try MemoryInfo(json: JSONValue(parsing: system.expect("memory", "--json")))
        }

        @Test("From the crossing to the last kill nothing is allocated, and what it takes is rehearsed before")
        func nothingAllocated() throws {
            let system = try TestSystem(memory: "400M")
            defer { system.end() }
            let hidden = ["one", "two", "three"]
            for name in hidden { try install(name, on: system, megabytes: 60, openURL: "pass") }
            try install(
                "front", on: system, megabytes: 5,
                openURL: "held.extend(bytearray(b'x' * (1 << 20)) for _ in range(number))")
            try system.play(hidden.map { "open \($0)" } + ["open front"])
            let log = try system.follower()
            try log.wait("suspended", of: "three")
            // Who is suspended is looked at; the table is made a moment later.
            let patience = Patience()
            while try memory(system).killPath?.rehearsal.kills != hidden.count, !patience.isOver {}
            let before = try #require(try memory(system).killPath)
            #expect(before.ready == hidden.count && before.rehearsals > 0 && before.last == nil)
            #expect(before.rehearsal.allocations == 0 && before.rehearsal.pageFaults == 0, "\(before)")
            let seen = try system.lastSequence
            // In one go: from more than enough to far below what ends background apps.
            try system.expect("open", "front:200")
            try log.wait("terminated", of: "one", after: seen)
            let path = try #require(try memory(system).killPath)
            let last = try #require(path.last, "the fast way was taken")
            #expect(last.kills > 0)
            #expect(last.allocations == 0, "\(path)")
            let reports = try hidden.flatMap { try system.reports($0) }
            #expect(!reports.isEmpty && reports.allSatisfy { $0.namespace == "JETSAM" && $0.code == 4 }, "\(reports)")
            #expect(try system.app("front").state == "active")
            try checkJetsamEvent(try #require(reports.first), system)
        }

        /// Who had what, in pages, as in Apple's reports.
        private func checkJetsamEvent(_ report: ReportSummary, _ system: TestSystem) throws {
            let answer = try JSONValue(parsing: system.expect("reports", "show", report.id, "--json"))
            #expect(answer["header"]?["bug_type"] == "298")
            let event = try #require(answer["report"])
            #expect(event["reason"] == "vm-pageshortage" && event["largestProcess"] == "front", "\(event)")
            guard case .int(let page)? = event["memoryStatus"]?["pageSize"],
                case .array(let processes)? = event["processes"]
            else {
                Issue.record("\(event)")
                return
            }
            let victims = processes.filter { $0["reason"] != nil }
            #expect(victims.map { $0["name"] } == [.string(report.app)], "the reason stands at the victim alone")
            guard case .int(let pages)? = victims.first?["rpages"] else {
                Issue.record("\(victims)")
                return
            }
            #expect(pages * page > 60 << 20)
            #expect(processes.contains { $0["name"] == "front" && $0["states"] == ["active", "visible"] })
        }

        @Test("An app that maps a hundred thousand regions ends with the reason of its own, and nobody else")
        func mappings() throws {
            let system = try TestSystem()
            defer { system.end() }
            try install("neighbour", on: system, megabytes: 5, openURL: "pass")
            // As many as the kernel allows; neighbours differ, so that the kernel cannot join them.
            let map = """
                try:
                            for i in range(number):
                                held.append(mmap.mmap(-1, 4096, prot=mmap.PROT_READ | (mmap.PROT_WRITE if i % 2 else 0)))
                        except OSError as error:
                            print(error, flush=True)
                """
            try install("mapper", on: system, megabytes: 5, openURL: map)
            try system.play(["open neighbour", "open mapper"])
            let seen = try system.lastSequence
            _ = try system.run("open", "mapper:100000")
            try system.follower().wait("terminated", of: "mapper", after: seen)
            let report = try #require(try system.reports("mapper").first)
            #expect(report.namespace == "GREENROOM" && report.code == 0xadd5_ab5e, "\(report)")
            #expect(report.reason.contains("the limit is 20000"), "\(report.reason)")
            #expect(try system.reports("neighbour").isEmpty)
        }
    }
}
