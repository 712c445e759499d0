import Host
import LinuxSystem
import Testing

@Suite("The GPU, looked at in the background")
struct GPUBaselineTests {
    /// A look at a tree with so many contexts.
    private func look(_ count: Int) throws -> GPUClients {
        let folder = "/tmp/greenroom-gpu-\(CurrentProcess.pid)-\(Clock.monotonic())"
        try FileSystem.makeDirectory("\(folder)/1/fd")
        defer {
            for number in 0..<count { FileSystem.remove("\(folder)/1/fd/\(number)") }
            // Nothing but empty folders is left.
            try? Cgroup.remove(at: folder)
        }
        for number in 0..<count { try FileSystem.link(to: "/dev/nvidia\(number)", at: "\(folder)/1/fd/\(number)") }
        return GPUClients(of: [1], in: ProcFS(root: folder))
    }

    @Test("The first look of a visit to the background says what is there, the next one what is new")
    func visits() throws {
        var baseline = GPUBaseline()
        let visit = baseline.visit
        #expect(baseline.compare(try look(1), visit: visit) == nil)
        #expect(baseline.compare(try look(1), visit: visit) == nil)
        #expect(baseline.compare(try look(2), visit: visit) == .newClient(driver: "nvidia"))
    }

    @Test("What was opened on screen between two visits is no offence, nor what a look of an earlier visit finds")
    func screen() throws {
        var baseline = GPUBaseline()
        let first = baseline.visit
        #expect(baseline.compare(try look(1), visit: first) == nil)
        baseline.leaveBackground()
        // It saw what there was before the visit to the screen, and is no measure for what there is now.
        #expect(baseline.compare(try look(1), visit: first) == nil)
        #expect(baseline.compare(try look(2), visit: baseline.visit) == nil)
        #expect(baseline.compare(try look(3), visit: baseline.visit) != nil)
    }
}
