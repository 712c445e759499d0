import Model
import PolicyCore
import Testing

@Suite("The last room on the disk") struct DiskTests {
    private static let use = DiskUse(written: 3 << 30, free: 5 << 20)

    @Test(
        "Who takes it ends at once, on screen or off it, and the report says how much it wrote",
        arguments: [true, false])
    func ends(isOnScreen: Bool) throws {
        let device = TestDevice()
        let app = device.installTest("writer", modes: .audio)
        device.open(app)
        device.use(.audio, by: app)
        if !isOnScreen { device.home() }
        device.send(
            .mechanism(Incarnation(app, try #require(device.system.app(app)?.generation)), .disk(.filled(Self.use))))
        device.run()
        #expect(device.state(app) == .notRunning)
        let report = try #require(device.reports.first)
        #expect(report.code == TerminationCode(namespace: "RUNNINGBOARD", code: 0xbadd_d15c) && report.isTermination)
        #expect(report.reason.contains("wrote 3072") && report.reason.contains("5"), "\(report.reason)")
        #expect(device.takeCalls(app).last != .willTerminate, "nobody is asked to end")
        device.finish()
    }

    @Test("An earlier process's offence is not a later one's")
    func earlier() throws {
        let device = TestDevice()
        let app = device.installTest("writer")
        device.open(app)
        let generation = try #require(device.system.app(app)?.generation)
        device.send(.mechanism(Incarnation(app, generation.next), .disk(.filled(Self.use))))
        device.run()
        #expect(device.state(app) == .active)
        #expect(device.reports.isEmpty)
        device.finish()
    }

    @Test(
        "The mark is half a percent, within bounds that leave something to use",
        arguments: [
            (8 << 20, 1 << 20), (1 << 30, 16 << 20), (10 << 30, 53_687_091), (1 << 40, 128 << 20),
        ] as [(Int64, Int64)])
    func mark(total: Int64, mark: Int64) {
        #expect(DiskSpace.mark(of: total) == mark)
    }
}
