import Host
import LinuxSystem
import Model
import PolicyCore
import Testing

@Suite("The GPU, looked at in the background")
struct GPUBaselineTests {
    /// A look at a tree with so many contexts, of which the first has worked for so long.
    private func look(_ count: Int, work: Int = 0) throws -> GPUClients {
        let folder = "/tmp/greenroom-gpu-\(CurrentProcess.pid)-\(Clock.monotonic())"
        for part in ["fd", "fdinfo"] { try FileSystem.makeDirectory("\(folder)/1/\(part)") }
        defer { try? FileSystem.removeTree(folder) }
        for number in 0..<count {
            try FileSystem.link(to: "/dev/dri/renderD128", at: "\(folder)/1/fd/\(number)")
            let text = "drm-driver:\tfake\ndrm-client-id:\t\(number)\ndrm-engine-gfx:\t\(number == 0 ? work : 0) ns\n"
            try FileSystem.replace("\(folder)/1/fdinfo/\(number)", with: Array(text.utf8))
        }
        return GPUClients(of: [1], in: ProcFS(root: folder))
    }

    private static let settled = GPU.settling.nanoseconds

    /// One that can be changed within an expectation.
    private final class Baseline {
        private var value = GPUBaseline()
        var visit: Int { value.visit }

        func beBornInBackground() { value.beBornInBackground(at: 0) }
        func enterBackground(at now: Int64) -> Bool { value.enterBackground(at: now) }
        func leaveBackground() { value.leaveBackground() }
        func compare(_ found: GPUClients, visit: Int, lookedAt moment: Int64) -> GPUClients.Change? {
            value.compare(found, visit: visit, lookedAt: moment)
        }
    }

    private func background() -> Baseline {
        let baseline = Baseline()
        #expect(baseline.enterBackground(at: 0))
        return baseline
    }

    @Test("The first look of a visit to the background says what is there, the next one what is new")
    func visits() throws {
        let baseline = background()
        let visit = baseline.visit
        #expect(try baseline.compare(look(1), visit: visit, lookedAt: 1) == nil)
        #expect(try baseline.compare(look(1), visit: visit, lookedAt: 2) == nil)
        #expect(try baseline.compare(look(2), visit: visit, lookedAt: 3) == .newClient(driver: "fake"))
    }

    @Test("What the GPU goes on with for a moment was given to it before; what it does after that was not")
    func settling() throws {
        let baseline = background()
        let visit = baseline.visit
        #expect(try baseline.compare(look(1, work: 10), visit: visit, lookedAt: 1) == nil)
        #expect(try baseline.compare(look(1, work: 20), visit: visit, lookedAt: 2) == nil)
        // The look for the end of that time, however late it is made.
        #expect(try baseline.compare(look(1, work: 30), visit: visit, lookedAt: Self.settled) == nil)
        #expect(try baseline.compare(look(1, work: 30), visit: visit, lookedAt: Self.settled + 1) == nil)
        #expect(
            try baseline.compare(look(1, work: 31), visit: visit, lookedAt: Self.settled + 2) == .work(driver: "fake"))
    }

    @Test("Who is born in the background has nothing: the first look finds the offence")
    func birth() throws {
        let baseline = Baseline()
        baseline.beBornInBackground()
        let visit = baseline.visit
        // Its `didEnterBackground` begins nothing anew.
        #expect(!baseline.enterBackground(at: 1))
        #expect(baseline.compare(GPUClients(), visit: visit, lookedAt: 2) == nil)
        #expect(try baseline.compare(look(1), visit: visit, lookedAt: 3) == .newClient(driver: "fake"))
    }

    @Test("What was opened on screen between two visits is no offence, nor what a look of an earlier visit finds")
    func screen() throws {
        let baseline = background()
        let first = baseline.visit
        #expect(try baseline.compare(look(1), visit: first, lookedAt: 1) == nil)
        baseline.leaveBackground()
        #expect(try baseline.compare(look(2), visit: baseline.visit, lookedAt: 2) == nil, "on screen all is allowed")
        #expect(baseline.enterBackground(at: 10))
        // It began before the second context was opened, and must not be what this visit begins with.
        #expect(try baseline.compare(look(1), visit: first, lookedAt: 3) == nil)
        #expect(try baseline.compare(look(2), visit: baseline.visit, lookedAt: 11) == nil)
        #expect(try baseline.compare(look(3), visit: baseline.visit, lookedAt: 12) != nil)
    }

    @Test("A machine of files has a GPU when its folder of devices says so")
    func devices() throws {
        let folder = "/tmp/greenroom-gpu-\(CurrentProcess.pid)-\(Clock.monotonic())"
        try FileSystem.makeDirectory("\(folder)/dev/dri")
        defer { try? FileSystem.removeTree(folder) }
        var none = GPUDevices(root: folder)
        let isNone = none.areThere()
        #expect(!isNone)
        try FileSystem.replace("\(folder)/dev/dri/card0", with: [])
        var one = GPUDevices(root: folder)
        let isThere = one.areThere()
        #expect(isThere && one.procFS.root == "\(folder)/proc")
    }
}
