import Model
import PolicyCore
import Testing

@Suite("The GPU in the background") struct GPUTests {
    private static let use = GPUUse(.commands, driver: "amdgpu")

    private func device(_ kind: AppKind = .application) -> (TestDevice, AppIndex) {
        let device = TestDevice()
        let app = device.installTest("radio", kind: kind, modes: .audio)
        device.open(app)
        if kind == .application {
            device.use(.audio, by: app)
        } else {
            _ = device.perform(.exempt(app, true))
        }
        return (device, app)
    }

    private func find(_ device: TestDevice, _ app: AppIndex, _ use: GPUUse = Self.use) throws {
        device.send(.mechanism(Incarnation(app, try #require(device.system.app(app)?.generation)), .gpu(.used(use))))
        device.run()
    }

    @Test(
        "Who uses it in the background ends, audio or not, and the report says what it did",
        arguments: GPUUse.Kind.allCases)
    func background(kind: GPUUse.Kind) throws {
        let (device, app) = device()
        device.home()
        #expect(device.state(app) == .background)
        try find(device, app, GPUUse(kind, driver: "i915"))
        #expect(device.state(app) == .notRunning)
        let report = try #require(device.reports.first)
        #expect(report.code == TerminationCode(namespace: "GREENROOM", code: 0x0ff5_c2ee) && report.isTermination)
        #expect(report.reason.contains("GPU (i915)") && report.reason.contains("didEnterBackground"))
        #expect(report.reason.contains(kind == .context ? "created a context" : "gave work"))
        #expect(device.takeCalls(app).last == .didEnterBackground, "nobody is asked to end")
        device.finish()
    }

    @Test("On screen, and on the way there, it is the app's own")
    func screen() throws {
        let (device, app) = device()
        try find(device, app)
        #expect(device.state(app) == .active)
        device.home()
        device.change(app) { $0.hangsIn = [.willEnterForeground] }
        _ = device.begin(.open(app, role: .primary, wait: false))
        try find(device, app)
        #expect(device.state(app) == .background && device.reports.isEmpty)
        device.change(app) { $0.hangsIn = [] }
        device.run()
        device.finish()
    }

    @Test("Until didEnterBackground has returned the app is not there yet")
    func transition() throws {
        let (device, app) = device()
        device.change(app) { $0.hangsIn = [.didEnterBackground] }
        _ = device.begin(.home(wait: false))
        device.run()
        try find(device, app)
        #expect(device.state(app) == .inactive && device.reports.isEmpty)
        device.change(app) { $0.hangsIn = [] }
        device.run()
        device.finish()
    }

    @Test("A plain program knows no rules, and news of a process that is gone touches nobody")
    func others() throws {
        let (plain, program) = device(.plain)
        plain.home()
        try find(plain, program)
        #expect(plain.state(program) == .background && plain.reports.isEmpty)
        plain.finish()
        let (device, app) = device()
        device.home()
        let generation = try #require(device.system.app(app)?.generation)
        device.send(.mechanism(Incarnation(app, generation.next), .gpu(.used(Self.use))))
        device.run()
        #expect(device.state(app) == .background && device.reports.isEmpty)
        device.finish()
    }
}
