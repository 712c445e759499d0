import Foundation
import Model
import PolicyCore
import Testing

@Suite("Traffic that is counted at apps") struct CountedTrafficTests {
    private static func app(_ device: TestDevice, modes: BackgroundModes = [], _ network: NetworkKind = .wifi)
        -> AppIndex
    {
        let app = device.installTest("news", modes: modes)
        device.send(.conditionSensed(.network(network)))
        return app
    }

    private static func count(
        _ device: TestDevice, _ app: AppIndex, _ purpose: Purpose, sent: Int64 = 0, received: Int64 = 0
    ) {
        device.send(
            .trafficCounted(
                app, purpose, CountedTraffic(sent: sent, received: received, from: device.now, to: device.now)))
    }

    @Test("On screen an app browses, fetched it fetches, and suspended or ended it does nothing")
    func activities() throws {
        let device = TestDevice()
        let app = Self.app(device, modes: .fetch)
        #expect(device.system.activity(of: app) == nil)
        device.open(app)
        #expect(device.system.activity(of: app) == .browsing)
        device.request(app, .setFetchInterval(.zero))
        device.home()
        #expect(device.system.app(app)?.state == .suspended)
        #expect(device.system.activity(of: app) == nil)
        device.perform(.simulateFetch(app, launches: false, wait: false))
        #expect(device.system.activity(of: app) == .fetch)
        try device.complete(app, .newData)
        #expect(device.system.activity(of: app) == nil)
        device.perform(.close(app, wait: true))
        #expect(device.system.activity(of: app) == nil)
        #expect(device.system.activity(of: AppIndex(99)) == nil)
        device.finish()
    }

    @Test("In the background the assertion says what it does: streaming with audio, its own use with a task")
    func assertions() {
        let device = TestDevice()
        let app = Self.app(device, modes: .audio)
        device.open(app)
        device.use(.audio, by: app)
        device.home()
        #expect(device.system.activity(of: app) == .streaming)
        device.request(app, .beginTask(TaskID(1), name: "save"))
        #expect(device.system.activity(of: app) == .streaming)
        device.leave(.audio, by: app)
        #expect(device.system.activity(of: app) == .use)
        device.open(app)
        #expect(device.system.activity(of: app) == .browsing)
    }

    @Test("What is counted costs what the radio in use does; over a cable it costs nothing and is told all the same")
    func charged() {
        for (network, isFree) in [(NetworkKind.wifi, false), (.cellular, false), (.wired, true)] {
            let device = TestDevice()
            let app = Self.app(device, network)
            device.open(app)
            Self.count(device, app, .browsing, sent: 2000, received: 30_000)
            Self.count(device, app, .browsing, received: 1)
            Self.count(device, app, .fetch, sent: 3)
            let account = device.system.energyAccount(at: device.now + .seconds(60))
            #expect((account.ledger.total(of: app, .browsing) == .zero) == isFree, "\(network)")
            #expect(account.ledger.total(of: app) == account.total)
            let entries = device.system.trafficTally.entries
            #expect(entries.map(\.consumer) == [Consumer(app: app, .browsing), Consumer(app: app, .fetch)])
            #expect(entries.map(\.sent) == [2000, 3] && entries.map(\.received) == [30_001, 0])
        }
    }

    @Test("An app that is uninstalled leaves its bytes to the system; the tally is in the checkpoint")
    func tally() throws {
        let device = TestDevice()
        let app = Self.app(device)
        let before = try JSONEncoder().encode(device.system)
        #expect(try JSONDecoder().decode(System.self, from: before).trafficTally.isEmpty)
        device.open(app)
        Self.count(device, app, .browsing, sent: 5, received: 7)
        let restored = try JSONDecoder().decode(System.self, from: JSONEncoder().encode(device.system))
        #expect(restored.trafficTally == device.system.trafficTally && !restored.trafficTally.isEmpty)
        device.perform(.uninstall(app))
        device.run()
        Self.count(device, app, .browsing, sent: 100)
        let entries = device.system.trafficTally.entries
        #expect(entries.map(\.consumer) == [Consumer(app: nil, .browsing)])
        #expect(entries.map(\.sent) == [5] && entries.map(\.received) == [7])
    }

    @Test("A fetch's bytes, counted until a moment after its end, are what it cost; the next one is planned by them")
    func fetchCost() throws {
        let device = TestDevice()
        let app = Self.app(device, modes: .fetch, .cellular)
        device.open(app)
        device.request(app, .setFetchInterval(.zero))
        device.home()
        device.perform(.simulateFetch(app, launches: false, wait: false))
        Self.count(device, app, .fetch, sent: 1000, received: 10_000)
        try device.complete(app, .newData)
        let first = try #require(device.system.fetch.planner.decisions(app).last)
        #expect(first.result == .newData)
        Self.count(device, app, .fetch, received: 90_000)
        let decision = try #require(device.system.fetch.planner.decisions(app).last)
        let moved = FetchBytes(sent: 1000, received: 100_000)
        #expect(decision.moved == moved)
        // LTE: 25 ms up and 0.8 s down at 1.2 W, 8 kbit × 438 nJ, 0.8 Mbit × 52 nJ.
        let cost = try #require(decision.cost)
        #expect(abs(cost.joules - (0.825 * 1.2 + 0.003504 + 0.0416)) < 1e-9, "\(cost.joules)")
        #expect(cost == moved.cost(.lte) && moved.cost(.wired) == .zero)
        // What it does on screen is no fetch.
        device.open(app)
        Self.count(device, app, .browsing, received: 5_000_000)
        #expect(device.system.fetch.planner.decisions(app).last?.moved == moved)
    }

    @Test("A fetch's processor time is charged to it by the power of a core, whatever the network is")
    func processor() throws {
        for network in [NetworkKind.none, .wired, .cellular] {
            let device = TestDevice()
            let app = Self.app(device, modes: .fetch, network)
            device.open(app)
            func count(_ time: Model.Span) {
                let count = CountedTraffic(sent: 0, received: 0, from: device.now, to: device.now, processor: time)
                device.send(.trafficCounted(app, .fetch, count))
            }
            count(.milliseconds(1500))
            count(.milliseconds(500))
            count(.zero)
            count(Model.Span(nanoseconds: -5))
            let account = device.system.energyAccount(at: device.now + .seconds(60))
            #expect(account.ledger.total(of: app, by: .processor) == Power.core * .seconds(2), "\(network)")
            #expect(account.ledger.total(of: app, .fetch) == account.total && account.wakeups == 0)
            // A report of more than a day cannot be true, and does not wrap the sum around.
            count(Model.Span(nanoseconds: .max))
            let most = device.system.energyAccount(at: device.now).ledger.total(of: EnergyPart.processor)
            #expect(most == Power.core * .seconds(86_402))
            device.perform(.uninstall(app))
            device.run()
            #expect(device.system.energyAccount(at: device.now).ledger.total(of: app) == .zero)
            #expect(device.system.energyAccount(at: device.now).total == most)
        }
    }

    @Test("A fetch that was seen to move nothing costs nothing")
    func nothing() throws {
        let device = TestDevice()
        let app = Self.app(device, modes: .fetch)
        device.open(app)
        device.request(app, .setFetchInterval(.zero))
        device.home()
        device.perform(.simulateFetch(app, launches: false, wait: false))
        try device.complete(app, .noData)
        #expect(device.system.fetch.planner.decisions(app).last?.cost == nil, "nobody has looked")
        Self.count(device, app, .fetch)
        #expect(device.system.fetch.planner.decisions(app).last?.cost == .zero)
        #expect(device.system.trafficTally.isEmpty)
    }
}
