import Model
import PolicyCore
import Testing

/// A gigabyte, shared with the machine: what can be had without asking counts as available there.
@Suite("Memory of the machine") struct MachineMemoryTests {
    private static let mb: Int64 = 1 << 20

    private func device() -> TestDevice {
        let device = TestDevice()
        device.send(.memoryConfigured(budget: 1_000 * Self.mb, source: .machine))
        return device
    }

    private func suspended(
        _ device: TestDevice, _ name: String, dirty: Int64, purgeable: Int64, clean: Int64
    ) throws -> Incarnation {
        let app = device.installTest(name)
        device.suspend(app)
        let one = Incarnation(app, try #require(device.process(app)).generation)
        let footprint = Footprint(dirty: dirty * Self.mb, purgeable: purgeable * Self.mb, clean: clean * Self.mb)
        device.send(.footprintSampled(app, one.generation, footprint))
        return one
    }

    @Test("What is being taken does not keep anybody alive: it was available before")
    func takenIsNotComing() throws {
        let device = device()
        let one = try suspended(device, "a", dirty: 60, purgeable: 100, clean: 100)
        device.send(.memorySensed(available: 190 * Self.mb))
        #expect(device.reclaimed == [one.app])
        // Under a budget the 200 MB that were asked for would be waited for.
        #expect(device.system.memoryNeed(available: 40 * Self.mb) == 40 * Self.mb)
        #expect(device.system.standingOrder(one).bytes == 60 * Self.mb, "its dirty memory comes back")
        device.send(.memorySensed(available: 40 * Self.mb))
        device.run()
        #expect(device.state(one.app) == .notRunning)
        #expect(device.system.memory.available == 100 * Self.mb)
        device.finish()
    }

    @Test("As much is taken without asking as is missing, and not from everybody because it does not show")
    func onlyAsNeeded() throws {
        let device = device()
        let all = try ["a", "b", "c"].map { try suspended(device, $0, dirty: 10, purgeable: 30, clean: 10) }
        let short = 190 * Self.mb
        device.send(.memorySensed(available: short))
        // 60 MB are missing.
        #expect(device.reclaimed.count == 2)
        for one in all where device.reclaimed.contains(one.app) {
            device.send(.reclaimed(one.app, one.generation, Footprint(dirty: 10 * Self.mb)))
            #expect(device.system.memory.available == short)
        }
        for _ in 0..<5 { device.send(.memorySensed(available: short)) }
        #expect(device.reclaimed.count == 2)
        // Another shortage is another matter.
        device.send(.memorySensed(available: 600 * Self.mb))
        device.send(.memorySensed(available: short))
        #expect(device.reclaimed.count == 3)
        device.finish()
    }

    @Test("An app with much memory may leave the screen: the limit is for who runs in the background")
    func leavingTheScreen() throws {
        let device = TestDevice()
        device.send(.memoryConfigured(budget: 1_000 * Self.mb))
        let (large, other) = (device.installTest("large"), device.installTest("other"))
        device.open(large)
        device.change(large) { $0.hangsIn = [.didEnterBackground] }
        device.perform(.open(other, role: .primary, wait: false))
        let generation = try #require(device.process(large)).generation
        device.send(.footprintSampled(large, generation, Footprint(dirty: 700 * Self.mb)))
        #expect(device.reports.isEmpty && device.state(large) != .background)
        #expect(device.system.memoryLimit(of: large) == 800 * Self.mb)
        device.change(large) { $0.hangsIn = [] }
        device.run()
        #expect(device.state(large) == .suspended)
        device.send(.footprintSampled(large, generation, Footprint(dirty: 700 * Self.mb)))
        #expect(device.reports.isEmpty)
        device.finish()
    }

    @Test("A look at an app that is dying ends nobody else")
    func dying() throws {
        let device = TestDevice()
        device.send(.memoryConfigured(budget: 1_000 * Self.mb))
        let all = try ["a", "b"].map { try suspended(device, $0, dirty: 300, purgeable: 0, clean: 0) }
        device.send(.memorySensed(available: 40 * Self.mb))
        func ending() -> [Incarnation] { all.filter { device.system.app($0.app)?.ending != nil } }
        let first = ending()
        #expect(first.count == 1)
        for one in first {
            device.send(.footprintSampled(one.app, one.generation, .zero))
            device.send(.reclaimed(one.app, one.generation, .zero))
        }
        #expect(ending() == first)
        device.run()
        device.finish()
    }

    @Test("An app that wavers about the mark before its limit is warned once")
    func wavers() throws {
        let device = TestDevice()
        device.send(.memoryConfigured(budget: 1_000 * Self.mb))
        let front = device.installTest("front")
        device.open(front)
        let generation = try #require(device.process(front)).generation
        for _ in 0..<10 {
            for dirty in [700, 760] {
                device.send(.footprintSampled(front, generation, Footprint(dirty: Int64(dirty) * Self.mb)))
                device.run()
            }
        }
        #expect(device.takeCalls(front).count { $0 == .didReceiveMemoryWarning } == 1)
        device.finish()
    }
}
