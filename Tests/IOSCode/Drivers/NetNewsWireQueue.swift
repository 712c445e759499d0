import GreenroomTesting
import Testing
import UIKit

@testable import NetNewsWireQueue

final class Caller: NSObject {
    var calls = 0
    func update() { calls += 1 }
}

final class NewsDelegate: UIResponder, UIApplicationDelegate {}

@MainActor @Suite("NetNewsWire's queue and network monitor", .simulatedDevice)
struct NetNewsWireQueueTests {
    @Test("Calls of the same selector become one, made by a timer")
    func coalesces() {
        let (queue, caller) = (CoalescingQueue(name: "test", interval: 0.01), Caller())
        let selector = Selector("update", { (object: Caller) in object.update() })
        for _ in 0..<5 { queue.add(caller, selector) }
        #expect(caller.calls == 0)
        let end = Date(timeIntervalSinceNow: 10)
        while caller.calls == 0, Date() < end { _ = RunLoop.current.run(mode: .default, before: end) }
        #expect(caller.calls == 1)
    }

    @Test("A gone target is called no more")
    func weak() {
        let queue = CoalescingQueue(name: "test")
        queue.add(Caller(), Selector("update", { (object: Caller) in object.update() }))
        queue.performCallsImmediately()
    }

    @Test("The monitor knows the device's network")
    func network() async throws {
        let device = try TestDevice()
        let app = try device.install(NewsDelegate.self, identifier: "org.example.tried")
        try await device.open(app)
        try await app.perform { _ in NetworkMonitor.shared.start() }
        try await device.setNetwork(.cellular)
        try await until { NetworkMonitor.shared.isConnected && NetworkMonitor.shared.isExpensive }
        try await device.setNetwork(.none)
        try await until { !NetworkMonitor.shared.isConnected }
    }

    /// The monitor's own queue tells it.
    private func until(_ condition: () -> Bool) async throws {
        // Nothing tells when what is tried has noticed.
        for _ in 0..<1000 where !condition() { try await Task.sleep(for: .milliseconds(5)) }
        #expect(condition())
    }
}
