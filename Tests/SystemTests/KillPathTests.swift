import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// What is ready for a shortage before it comes.
    @Suite("The kill path", .serialized) struct KillPath {
        @Test("From the crossing to the last kill nothing is allocated, and what it takes is rehearsed before")
        func nothingAllocated() throws {
            let system = try TestSystem(memory: "400M")
            defer { system.end() }
            let hidden = ["one", "two", "three"]
            for name in hidden { try system.installAllocator(name, dirty: 60) }
            try system.installAllocator("front", dirty: 5)
            try system.play(hidden.map { "open \($0)" } + ["open front"])
            let log = try system.follower()
            try log.wait("suspended", of: "three")
            // Who is suspended is looked at; the table is made a moment later.
            let ready = try system.memory("a rehearsal with all") { $0.killPath?.rehearsal.kills == hidden.count }
            let before = try #require(ready.killPath)
            #expect(before.ready == hidden.count && before.rehearsals > 0 && before.last == nil)
            #expect(before.rehearsal.allocations == 0 && before.rehearsal.pageFaults == 0, "\(before)")
            let seen = try system.lastSequence
            // In one go: from more than enough to far below what ends background apps.
            try system.expect("open", "front:200")
            try log.wait("terminated", of: "one", after: seen)
            let path = try #require(try system.memory().killPath)
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
            try system.installAllocator("neighbour", dirty: 5)
            // As many as the kernel allows; neighbours differ, so that the kernel cannot join them.
            let mapping = "mmap.mmap(-1, 4096, prot=mmap.PROT_READ | (mmap.PROT_WRITE if i % 2 else 0))"
            try system.installAllocator(
                "mapper", dirty: 5,
                openURL: "with __import__('contextlib').suppress(OSError): "
                    + "held.extend(\(mapping) for i in range(number))")
            try system.play(["open neighbour", "open mapper"])
            let seen = try system.lastSequence
            _ = try system.run("open", "mapper:100000")
            try system.follower().wait("terminated", of: "mapper", after: seen)
            let report = try #require(try system.reports("mapper").first)
            #expect(report.namespace == "GREENROOM" && report.code == 0xadd5_ab5e, "\(report)")
            #expect(report.reason.contains("the limit is 20000"), "\(report.reason)")
            #expect(try system.reports("neighbour").isEmpty)
        }

        @Test("A system whose home is removed ends, with its apps: nobody could reach it any more")
        func removedHome() throws {
            let system = try TestSystem()
            try system.installPlain("idle", command: "/bin/sleep 1000")
            try system.play(["open idle"])
            _ = system.cgroup
            let app = try PidFD(CInt(try #require(system.app("idle").pid)))
            let processes = [try PidFD(system.daemon), try PidFD(system.keeper()), app]
            // What is written meanwhile may be in the way of the last folder.
            while FileSystem.exists(system.home) { try? FileSystem.removeTree(system.home) }
            for process in processes { #expect(process.waitUntilDead(milliseconds: 30_000)) }
            system.expectNothingLeft()
        }

        @Test("A system whose home is unmounted ends, with its apps, and other mounts do not matter to it")
        func unmountedHome() throws {
            let system = try TestSystem(disk: "64M")
            try system.installPlain("idle", command: "/bin/sleep 1000")
            try system.play(["open idle"])
            _ = system.cgroup
            let app = try PidFD(CInt(try #require(system.app("idle").pid)))
            let processes = [try PidFD(system.daemon), try PidFD(system.keeper()), app]
            let other = system.folder + "/other"
            try FileSystem.makeDirectory(other)
            _ = try Child("/bin/mount", ["-t", "tmpfs", "greenroom-test", other], environment: [:]).outcome()
            _ = try Child("/bin/umount", [other], environment: [:]).outcome()
            try system.expect("status")
            _ = try Child("/bin/umount", ["--lazy", system.home], environment: [:]).outcome()
            for process in processes { #expect(process.waitUntilDead(milliseconds: 30_000)) }
            system.expectNothingLeft()
        }

        @Test("A system goes on that lost only the mark by which it notices a removal, and notices the next one")
        func removedMark() throws {
            let system = try TestSystem()
            defer { system.end() }
            FileSystem.remove("\(system.home)/keeper.mark")
            try system.until("it is there again", seconds: 30) { FileSystem.exists("\(system.home)/keeper.mark") }
            try system.expect("status")
        }
    }
}
