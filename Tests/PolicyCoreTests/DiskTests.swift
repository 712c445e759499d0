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

    // MARK: Room that gets short

    private static let (total, mark): (Int64, Int64) = (10 << 30, DiskSpace.mark(of: 10 << 30))

    private func sense(_ device: TestDevice, _ free: Int64) {
        device.send(.room(.sensed(free: free, total: Self.total)))
    }

    private func measure(_ device: TestDevice, _ bytes: [AppIndex: Int64]) throws {
        let found = try bytes.sorted { $0.key.rawValue < $1.key.rawValue }.map { app, bytes in
            let generation = try #require(device.system.app(app)?.generation)
            return DiskMeasure(Incarnation(app, generation), bytes: bytes, changed: bytes)
        }
        device.send(.room(.measured(found)))
        device.run()
    }

    @Test("Apps that do not run give up their caches first, the one used longest ago before the others")
    func caches() throws {
        let device = TestDevice()
        let apps = ["first", "second", "never", "front"].map { device.installTest($0) }
        for app in apps.prefix(2) {
            device.pass(.seconds(10))
            device.open(app)
        }
        device.pass(.seconds(10))
        device.perform(.close(apps[1], wait: false))
        device.pass(.seconds(10))
        device.perform(.close(apps[0], wait: false))
        device.open(apps[3])
        sense(device, 3 * Self.mark)
        #expect(device.measurings == 1 && device.emptied.isEmpty)
        try measure(device, [apps[3]: 100 << 20])
        sense(device, 2 * Self.mark - 1)
        // One after the other: perhaps the first one's are enough.
        sense(device, 2 * Self.mark - 2)
        #expect(device.emptied == [apps[2]])
        device.send(.room(.emptied(apps[2], freed: 0)))
        sense(device, 2 * Self.mark - 2)
        #expect(device.emptied == [apps[2], apps[1]])
        #expect(!device.log.contains { $0.event == .cachesEmptied }, "nothing was there")
        device.send(.room(.emptied(apps[1], freed: 30 << 20)))
        let entry = try device.last(.cachesEmptied, of: apps[1])
        #expect(entry.reason == .cachesEmptied(freed: 30 << 20, left: 2 * Self.mark - 2))
        // It was enough.
        sense(device, 3 * Self.mark)
        #expect(device.emptied.count == 2)
        // With room again everything is forgotten; then they may have caches anew.
        sense(device, 5 * Self.mark)
        sense(device, 2 * Self.mark - 1)
        #expect(device.emptied == [apps[2], apps[1], apps[2]])
        #expect(device.state(apps[3]) == .active && device.reports.isEmpty)
        device.finish()
    }

    @Test("Only when no caches are left does the app end that wrote most, and no app that wrote little")
    func writer() throws {
        let device = TestDevice()
        let apps = ["idle", "writer", "reader"].map { device.installTest($0) }
        for app in apps.dropFirst() { device.open(app) }
        sense(device, 3 * Self.mark)
        try measure(device, [apps[1]: 100 << 20, apps[2]: 900 << 20])
        device.pass(.seconds(2))
        sense(device, Self.mark - 1)
        #expect(device.emptied == [apps[0]] && device.measurings == 1)
        device.send(.room(.emptied(apps[0], freed: 0)))
        sense(device, Self.mark - 1)
        #expect(device.measurings == 2)
        try measure(device, [apps[1]: 700 << 20, apps[2]: 901 << 20])
        #expect(device.state(apps[1]) == .notRunning && device.state(apps[2]) == .active)
        #expect(try #require(device.reports.first).code.code == 0xbadd_d15c)
        device.pass(.seconds(2))
        // It is as full as before, and it was somebody else.
        sense(device, Self.mark - 1)
        device.send(.room(.emptied(apps[1], freed: 0)))
        sense(device, Self.mark - 1)
        try measure(device, [apps[2]: 902 << 20])
        #expect(device.state(apps[2]) == .active && device.reports.count == 1)
        device.finish()
    }

    @Test("Without an earlier look, what was changed of late counts as written")
    func unknown() throws {
        let device = TestDevice()
        let app = device.installTest("writer")
        device.open(app)
        sense(device, Self.mark - 1)
        try measure(device, [app: 3 << 30])
        #expect(device.state(app) == .notRunning)
        device.finish()
    }

    @Test("What transfers of an app received since room became short counts as its own")
    func transfers() throws {
        let device = TestDevice()
        let apps = ["loader", "writer"].map { device.installTest($0) }
        for app in apps { device.open(app) }
        sense(device, 3 * Self.mark)
        try measure(device, [apps[0]: 1 << 20, apps[1]: 1 << 20])
        let now = device.now
        device.send(.trafficSeen(apps[0], .transfer, sent: 0, received: 900 << 20, from: now, to: now))
        device.send(.trafficSeen(apps[1], .streaming, sent: 0, received: 999 << 20, from: now, to: now))
        device.send(.trafficSeen(apps[0], .transfer, sent: 0, received: .max, from: now, to: now))
        device.pass(.seconds(2))
        sense(device, Self.mark - 1)
        try measure(device, [apps[0]: 1 << 20, apps[1]: 600 << 20])
        #expect(device.state(apps[0]) == .notRunning && device.state(apps[1]) == .active)
        device.finish()
    }

    @Test("An app that has stopped writing is not ended, although its transfers received much")
    func formerTransfers() throws {
        let device = TestDevice()
        let apps = ["loader", "writer"].map { device.installTest($0) }
        for app in apps { device.open(app) }
        sense(device, 3 * Self.mark)
        try measure(device, [apps[0]: 1 << 20, apps[1]: 1 << 20])
        device.pass(.seconds(61))
        let now = device.now
        device.send(.trafficSeen(apps[0], .transfer, sent: 0, received: 900 << 20, from: now, to: now))
        sense(device, Self.mark - 1)
        let loader = try #require(device.system.app(apps[0])?.generation)
        let writer = try #require(device.system.app(apps[1])?.generation)
        let found = [
            DiskMeasure(Incarnation(apps[0], loader), bytes: 1 << 20, changed: 0),
            DiskMeasure(Incarnation(apps[1], writer), bytes: 600 << 20, changed: 599 << 20),
        ]
        device.send(.room(.measured(found)))
        device.run()
        #expect(device.state(apps[0]) != .notRunning && device.state(apps[1]) == .notRunning)
        device.finish()
    }

    @Test("Answers that come when there is room again are told of, and end no app")
    func late() throws {
        let device = TestDevice()
        let apps = ["idle", "writer"].map { device.installTest($0) }
        device.open(apps[1])
        sense(device, Self.mark - 1)
        sense(device, 9 * Self.mark)
        device.send(.room(.emptied(apps[0], freed: 1 << 30)))
        try measure(device, [apps[1]: 3 << 30])
        #expect(device.state(apps[1]) == .active)
        #expect(
            try device.last(.cachesEmptied, of: apps[0]).reason == .cachesEmptied(freed: 1 << 30, left: Self.mark - 1))
        device.send(.room(.emptied(apps[0], freed: 1 << 30)))
        #expect(device.log.count { $0.event == .cachesEmptied } == 1)
        device.finish()
    }

    @Test("The levels follow from the mark")
    func levels() {
        let marks: [Int64] = [1, 2, 4]
        let levels = marks.flatMap { mark in
            [-1, 0].map { DiskSpace.level(free: mark * Self.mark + $0, of: Self.total) }
        }
        #expect(levels == [.full, .short, .short, .scarce, .scarce, .roomy])
        #expect(DiskSpace.roomLeft(free: 0, of: Self.total) == 0)
    }
}
