import Model
import PolicyCore
import Testing

/// A gigabyte for all apps: background apps end below 50 MB, until 80 are available.
@Suite("Standing orders, and limits of the address space") struct StandingOrderTests {
    private static let mb: Int64 = 1 << 20

    private func device() -> TestDevice {
        let device = TestDevice()
        device.send(.memoryConfigured(budget: 1_000 * Self.mb))
        return device
    }

    private func sample(_ device: TestDevice, _ app: AppIndex, dirty: Int64) {
        guard let one = incarnation(device, app) else { return }
        device.send(.footprintSampled(app, one.generation, Footprint(dirty: dirty * Self.mb)))
    }

    private func incarnation(_ device: TestDevice, _ app: AppIndex) -> Incarnation? {
        device.process(app).map { Incarnation(app, $0.generation) }
    }

    @Test("What is needed is what is missing to the end of the shortage, less what is on its way")
    func need() {
        let device = device()
        let app = device.installTest("a")
        device.suspend(app)
        sample(device, app, dirty: 10)
        #expect(device.system.memoryNeed(available: 50 * Self.mb) == 0)
        #expect(device.system.memoryNeed(available: 49 * Self.mb) == 31 * Self.mb)
        #expect(device.system.memoryNeed(available: -1) == 80 * Self.mb + 1)
        device.send(.memorySensed(available: 40 * Self.mb))
        // It is being ended already.
        #expect(device.system.memoryNeed(available: 49 * Self.mb) == 21 * Self.mb)
        #expect(device.system.memoryNeed(available: 75 * Self.mb) == 0)
        #expect(TestDevice().system.memoryNeed(available: 0) == 0, "without a budget")
        device.run()
        device.finish()
    }

    @Test("Nobody on screen is in the orders, nobody unknown, nobody who is ending, and no process of before")
    func orders() throws {
        let device = device()
        let (front, hidden) = (device.installTest("front"), device.installTest("hidden"))
        device.suspend(hidden)
        device.open(front)
        let (one, visible) = (try #require(incarnation(device, hidden)), try #require(incarnation(device, front)))
        #expect(device.system.standingOrder(one) == .none, "nobody has looked")
        sample(device, hidden, dirty: 30)
        sample(device, front, dirty: 300)
        #expect(device.system.standingOrder(one).bytes == 30 * Self.mb)
        #expect(device.system.standingOrder(visible) == .none)
        #expect(device.system.standingOrder(Incarnation(hidden, one.generation.next)) == .none)
        #expect(device.system.standingOrder(Incarnation(AppIndex(9), one.generation)) == .none)
        device.perform(.close(hidden, wait: false))
        #expect(device.system.standingOrder(one) == .none)
        device.finish()
    }

    /// Who ends of these, in megabytes by their place, so that so many come back.
    private func chosen(_ orders: [(place: Int, megabytes: Int64)], toFree megabytes: Int64) -> [Int] {
        var isChosen = orders.map { _ in true }
        orders.map { StandingOrder(place: $0.place, bytes: $0.megabytes * Self.mb) }
            .choose(toFree: megabytes * Self.mb, into: &isChosen)
        return orders.indices.filter { isChosen[$0] }
    }

    @Test("Who goes is chosen in order; nobody who need not, nobody who has nothing, and each class by itself")
    func choice() {
        #expect(chosen([(0, 10), (0, 20), (0, 30)], toFree: 30) == [0, 1])
        #expect(chosen([(0, 10), (0, 40), (0, 30)], toFree: 30) == [1], "the second has enough by itself")
        #expect(chosen([(0, 10), (1, 40), (1, 30)], toFree: 30) == [0, 1], "who runs spares nobody who is suspended")
        #expect(chosen([(0, 0), (0, 40)], toFree: 30) == [1])
        #expect(chosen([(0, 10), (0, 10)], toFree: 30) == [0, 1], "they have less")
        #expect(chosen([(0, 10)], toFree: 0).isEmpty)
        #expect(chosen([], toFree: 10).isEmpty)
    }

    @Test("The Core spares whom another one, chosen after it, makes superfluous, as the host does")
    func spares() {
        let device = device()
        let (small, large) = (device.installTest("small"), device.installTest("large"))
        // The large one is used all the time, so the small one is the first in the order.
        device.suspend(small)
        let other = device.installTest("other")
        for _ in 0..<6 {
            device.suspend(large)
            device.suspend(other)
        }
        sample(device, small, dirty: 10)
        sample(device, large, dirty: 60)
        #expect(device.system.memoryVictims().prefix(2) == [small, large])
        device.send(.memorySensed(available: 40 * Self.mb))
        device.run()
        #expect([small, large].map { device.state($0) } == [.suspended, .notRunning])
        device.finish()
    }

    @Test("What the host has ended at once ends with its numbers, and nobody else has to")
    func ended() throws {
        let device = device()
        let apps = ["a", "b", "c"].map { device.installTest($0) }
        for app in apps {
            device.suspend(app)
            sample(device, app, dirty: 40)
        }
        let one = try #require(incarnation(device, apps[1]))
        device.send(.endedForMemory([one, one, Incarnation(AppIndex(9), one.generation)], available: 45 * Self.mb))
        device.run()
        #expect(apps.map { device.state($0) } == [.suspended, .notRunning, .suspended])
        #expect(device.reports.map(\.code) == [.pageShortage])
        #expect(device.reports.first?.reason.contains("45 MB of 1000 MB were available") == true)
        #expect(device.system.memory.level != .critical)
        device.finish()
    }

    @Test("The word of a host that ended somebody while enough was there counts as the crash that it is")
    func notShort() throws {
        let device = device()
        let app = device.installTest("a")
        device.suspend(app)
        sample(device, app, dirty: 40)
        device.send(.endedForMemory([try #require(incarnation(device, app))], available: 600 * Self.mb))
        #expect(device.state(app) == .suspended)
        #expect(device.reports.isEmpty)
        device.finish()
    }

    @Test(
        "Too many mappings end any process, too large a one an app, each with the code of its own",
        arguments: AppKind.both)
    func mappings(kind: AppKind) throws {
        let rules = MemoryRules()
        for (count, largest) in [(rules.mappingLimit, rules.largestMapping), (rules.mappingLimit + 1, 0)] {
            let device = device()
            let app = device.installTest("mapper", kind: kind)
            device.open(app)
            let one = try #require(incarnation(device, app))
            device.send(.mappingsCounted(app, one.generation.next, .max, largest: .max))
            #expect(device.reports.isEmpty)
            device.send(.mappingsCounted(app, one.generation, count, largest: largest))
            device.run()
            #expect(device.reports.map(\.code) == (count > rules.mappingLimit ? [.addressSpaceAbuse] : []))
            device.finish()
        }
        let device = device()
        let app = device.installTest("mapper", kind: kind)
        device.open(app)
        let one = try #require(incarnation(device, app))
        device.send(.mappingsCounted(app, one.generation, 1, largest: rules.largestMapping + 1))
        device.run()
        #expect(device.reports.map(\.code) == (kind == .plain ? [] : [.addressSpaceAbuse]))
        device.finish()
    }

    @Test("Too many purgeable objects end any process, with a sentence of their own", arguments: AppKind.both)
    func purgeableObjects(kind: AppKind) throws {
        let limit = MemoryRules().purgeableLimit
        let device = device()
        let app = device.installTest("hoarder", kind: kind)
        device.open(app)
        let one = try #require(incarnation(device, app))
        device.send(.purgeableCounted(app, one.generation.next, .max))
        device.send(.purgeableCounted(app, one.generation, limit))
        device.run()
        #expect(device.state(app) == .active && device.reports.isEmpty)
        device.send(.purgeableCounted(app, one.generation, limit + 1))
        device.run()
        let report = try #require(device.reports.first)
        #expect(device.state(app) == .notRunning && report.code == .addressSpaceAbuse && report.isTermination)
        #expect(report.reason.contains("too many purgeable objects") && report.reason.contains("\(limit + 1)"))
        device.finish()
    }
}
