import GreenroomTesting
import Testing
import UIKit

extension TestingTests {
    @Suite("The clock")
    @MainActor
    struct ClockTests {
        private func open(
            _ device: TestDevice, _ onLaunch: @escaping (Probe) -> Void
        ) async throws -> TestedApp<Probe> {
            let probe = try device.installProbe { $0.onLaunch = onLaunch }
            try await device.open(probe)
            return probe
        }

        @Test("What sleeps on it wakes at its moment, in the order of the moments, and days take no time")
        func order() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try await open(device) { probe in
                for days in [3, 1, 2, 1] {
                    Task {
                        try await probe.clock.sleep(for: .seconds(86_400 * days))
                        probe.trace.append("\(days)")
                    }
                }
            }
            let before = (device.clock.now, device.date)
            try await device.advance(by: .seconds(86_400) - .milliseconds(200))
            #expect(probe.delegate?.trace == [])
            try await device.advance(by: .milliseconds(200))
            #expect(probe.delegate?.trace == ["1", "1"])
            try await device.advance(by: .seconds(86_400 * 9))
            #expect(probe.delegate?.trace == ["1", "1", "2", "3"])
            #expect(before.0.duration(to: device.clock.now) == .seconds(864_000))
            #expect(device.date.timeIntervalSince(before.1) == 864_000)
        }

        @Test("A sleeper sees the moment that it asked for")
        func moment() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try await open(device) { probe in
                guard let clock = probe.clock as? SimulatedClock else { return }
                Task {
                    let start = clock.now
                    for _ in 0..<3 {
                        try await clock.sleep(for: .milliseconds(1500))
                        probe.trace.append("\(start.duration(to: clock.now))")
                    }
                }
            }
            try await device.advance(by: .seconds(10))
            #expect(probe.delegate?.trace == ["1.5 seconds", "3.0 seconds", "4.5 seconds"])
            #expect(device.clock.minimumResolution == .nanoseconds(1))
        }

        @Test("In a suspended app nothing wakes; what is overdue does once it runs again, before it is told anything")
        func suspended() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try await open(device) { probe in
                Task {
                    try await probe.clock.sleep(for: .seconds(60))
                    probe.trace.append("overdue, \(UIApplication.shared.applicationState == .background)")
                    try await probe.clock.sleep(for: .seconds(60))
                    probe.trace.append("later")
                }
            }
            try await device.home()
            try await device.advance(by: .seconds(3600))
            #expect(probe.state == .suspended && probe.delegate?.trace == [])
            try await device.open(probe)
            #expect(probe.delegate?.trace == ["overdue, true"])
            try await device.advance(by: .seconds(60))
            #expect(probe.delegate?.trace == ["overdue, true", "later"])
        }

        @Test("A task that is cancelled wakes at once, with an error")
        func cancelled() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try await open(device) { probe in
                probe.tasks.append(
                    Task {
                        do {
                            try await probe.clock.sleep(for: .seconds(60))
                        } catch {
                            probe.trace.append("\(type(of: error))")
                        }
                    })
            }
            try await probe.perform { $0.tasks[0].cancel() }
            #expect(probe.delegate?.trace == ["CancellationError"])
            let task = Task { try await device.clock.sleep(for: .seconds(1)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }

        @Test("What is due already does not wait")
        func due() async throws {
            let device = try TestDevice(.iOS7)
            try await device.clock.sleep(for: .zero)
            try await device.clock.sleep(until: device.clock.now)
        }

        @Test("What an ended process waited for never comes, and the next one is not disturbed")
        func ended() async throws {
            let device = try TestDevice(.iOS7)
            let witness = Probe()
            let probe = try await open(device) { probe in
                Task { [clock = probe.clock] in
                    try await clock.sleep(for: .seconds(60))
                    witness.trace.append("woke")
                }
            }
            try await device.close(probe)
            try await device.advance(by: .seconds(600))
            #expect(witness.trace == [])
            try await device.open(probe)
            try await device.advance(by: .seconds(59))
            #expect(witness.trace == [])
            try await device.advance(by: .seconds(1))
            #expect(witness.trace == ["woke"])
        }

        @Test("Without an app, what sleeps on it is the test's own")
        func unattended() async throws {
            let device = try TestDevice(.iOS7)
            var woken: [Int] = []
            for seconds in [2, 1] {
                Task {
                    try await device.clock.sleep(for: .seconds(seconds))
                    woken.append(seconds)
                }
            }
            try await device.advance(by: .seconds(1))
            #expect(woken == [1])
            try await device.advance(by: .seconds(1))
            #expect(woken == [1, 2])
        }

        @Test("What waits in real time is named")
        func realTime() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try await open(device) { probe in
                Task { try await probe.clock.sleep(for: .seconds(1)) }
            }
            #expect(device.realTimeWaits.isEmpty)
            try await probe.perform { probe in
                // What is looked for: it is cancelled below.
                probe.tasks.append(Task { try? await Task.sleep(for: .seconds(3600)) })
                let item = DispatchWorkItem {}
                DispatchQueue.main.asyncAfter(deadline: .now() + 3600, execute: item)
                item.cancel()
                Timer.scheduledTimer(withTimeInterval: 3600, repeats: false) { _ in }.invalidate()
            }
            #expect(device.realTimeWaits == [.taskSleep, .dispatchTimer, .runLoopTimer])
            #expect(device.realTimeWaits.map(\.description) == ["Task.sleep", "DispatchQueue.asyncAfter", "Timer"])
            try await probe.perform { $0.tasks.forEach { $0.cancel() } }
        }
    }
}
