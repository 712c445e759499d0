import Dispatch
import GreenroomTesting
import Testing
import UIKit

extension TestingTests {
    /// An app that takes its clock from nowhere.
    @Suite("Virtual time for code that knows nothing of it")
    @MainActor
    struct VirtualTimeTests {
        private func open(_ onLaunch: @escaping (Probe) -> Void) async throws -> (TestDevice, TestedApp<Probe>) {
            let device = try TestDevice(.iOS7, virtualizesTime: true)
            let probe = try device.installProbe { $0.onLaunch = onLaunch }
            try await device.open(probe)
            return (device, probe)
        }

        @Test("Task.sleep, by each clock and with a tolerance, takes the device's time")
        func sleeps() async throws {
            let (device, probe) = try await open { probe in
                Task {
                    // It is the device’s time that passes.
                    try await Task.sleep(for: .seconds(3600))
                    probe.trace.append("continuous")
                }
                Task {
                    // It is the device’s time that passes.
                    try await Task.sleep(for: .seconds(7200), tolerance: .seconds(1), clock: .suspending)
                    probe.trace.append("suspending")
                }
                Task {
                    // It is the device’s time that passes.
                    try await Task.sleep(nanoseconds: 10_800_000_000_000)
                    probe.trace.append("nanoseconds")
                }
            }
            #expect(device.realTimeWaits.isEmpty)
            try await device.advance(by: .seconds(3599))
            #expect(probe.delegate?.trace == [])
            try await device.advance(by: .seconds(1))
            #expect(probe.delegate?.trace == ["continuous"])
            try await device.advance(by: .seconds(3601))
            #expect(probe.delegate?.trace == ["continuous", "suspending"])
            try await device.advance(by: .seconds(3600))
            #expect(probe.delegate?.trace == ["continuous", "suspending", "nanoseconds"])
        }

        @Test("A task that is cancelled does not sleep on")
        func cancelled() async throws {
            let (_, probe) = try await open { probe in
                probe.tasks.append(
                    Task {
                        // It is the device’s time that passes.
                        do { try await Task.sleep(for: .seconds(60)) } catch {
                            probe.trace.append("\(type(of: error))")
                        }
                    })
            }
            try await probe.perform { $0.tasks[0].cancel() }
            #expect(probe.delegate?.trace == ["CancellationError"])
        }

        @Test("asyncAfter on the main queue and on another one, by each kind of time, and what was cancelled")
        func after() async throws {
            let (device, probe) = try await open { probe in
                let note: @Sendable (String) -> Void = { text in
                    DispatchQueue.main.async { MainActor.assumeIsolated { probe.trace.append(text) } }
                }
                DispatchQueue.main.asyncAfter(deadline: .now() + 10) { note("main") }
                DispatchQueue.global().asyncAfter(deadline: .now() + 20) { note("other") }
                DispatchQueue.main.asyncAfter(wallDeadline: .now() + 30) { note("wall") }
                let item = DispatchWorkItem { note("cancelled") }
                DispatchQueue.main.asyncAfter(deadline: .now() + 5, execute: item)
                item.cancel()
            }
            try await device.advance(by: .milliseconds(9900))
            #expect(probe.delegate?.trace == [])
            try await device.advance(by: .seconds(90))
            #expect(probe.delegate?.trace == ["main", "other", "wall"])
        }

        @Test("A Timer fires by the device's clock, again and again, and not after it was invalidated")
        func timers() async throws {
            let (device, probe) = try await open { probe in
                var count = 0
                _ = Timer.scheduledTimer(withTimeInterval: 20, repeats: true) { timer in
                    let isLast = MainActor.assumeIsolated {
                        count += 1
                        probe.trace.append("\(count)")
                        return count == 3
                    }
                    if isLast { timer.invalidate() }
                }
                let once = Timer(fire: Date(timeIntervalSinceNow: 50), interval: 0, repeats: false) { _ in
                    MainActor.assumeIsolated { probe.trace.append("once") }
                }
                RunLoop.main.add(once, forMode: .common)
            }
            try await device.advance(by: .seconds(45))
            #expect(probe.delegate?.trace == ["1", "2"])
            try await device.advance(by: .seconds(600))
            #expect(probe.delegate?.trace == ["1", "2", "once", "3"])
        }

        @Test("A timer of DispatchSource fires while it is resumed, and not after it was cancelled")
        func sources() async throws {
            let (device, probe) = try await open { probe in
                let timer = DispatchSource.makeTimerSource(queue: .main)
                timer.setEventHandler { MainActor.assumeIsolated { probe.trace.append("tick") } }
                timer.schedule(deadline: .now() + 1, repeating: 1)
                timer.resume()
                probe.source = timer
            }
            try await device.advance(by: .milliseconds(3500))
            #expect(probe.delegate?.trace == ["tick", "tick", "tick"])
            try await probe.perform { $0.source?.suspend() }
            try await device.advance(by: .seconds(10))
            #expect(probe.delegate?.trace.count == 3)
            try await probe.perform { $0.source?.resume() }
            #expect(probe.delegate?.trace.count == 4)
            try await probe.perform { $0.source?.cancel() }
            try await device.advance(by: .seconds(10))
            #expect(probe.delegate?.trace.count == 4)
        }

        @Test("Date() and the clocks show what time it is on the device")
        func dates() async throws {
            let (device, probe) = try await open { _ in }
            let (date, instant, uptime) = try await probe.perform { _ in
                (Date(), ContinuousClock.now, DispatchTime.now().uptimeNanoseconds)
            }
            // A date has no nanoseconds.
            #expect(abs(date.timeIntervalSince(device.date)) < 1e-6)
            try await device.advance(by: .seconds(86_400))
            let passed = try await probe.perform { _ in
                (
                    Date().timeIntervalSince(date), ContinuousClock.now - instant,
                    DispatchTime.now().uptimeNanoseconds - uptime
                )
            }
            #expect(abs(passed.0 - 86_400) < 1e-6 && passed.1 == .seconds(86_400) && passed.2 == 86_400_000_000_000)
        }

        @Test("In a suspended app nothing fires; what is overdue does once it runs again")
        func suspended() async throws {
            let (device, probe) = try await open { probe in
                _ = Timer.scheduledTimer(withTimeInterval: 60, repeats: true) { _ in
                    MainActor.assumeIsolated { probe.trace.append("timer") }
                }
                DispatchQueue.main.asyncAfter(deadline: .now() + 60) {
                    MainActor.assumeIsolated { probe.trace.append("after") }
                }
            }
            try await device.home()
            try await device.advance(by: .seconds(3600))
            #expect(probe.state == .suspended && probe.delegate?.trace == [])
            try await device.open(probe)
            #expect(probe.delegate?.trace.sorted() == ["after", "timer"])
        }

        @Test("What an ended process waited for never comes, and is released")
        func ended() async throws {
            let witness = Probe()
            weak var held: Probe?
            let (device, probe) = try await open { probe in
                DispatchQueue.main.asyncAfter(deadline: .now() + 60) {
                    MainActor.assumeIsolated { witness.trace.append("\(probe.trace)") }
                }
            }
            held = probe.delegate
            try await device.close(probe)
            try await device.advance(by: .seconds(600))
            #expect(witness.trace == [] && held == nil)
        }

        @Test("The device's time waits for what the app gives to other queues")
        func otherQueues() async throws {
            let (device, probe) = try await open { probe in
                let queue = DispatchQueue(label: "org.example.work")
                queue.async {
                    // Work that takes real time.
                    usleep(50_000)
                    DispatchQueue.global().async {
                        // Work that takes real time.
                        usleep(50_000)
                        DispatchQueue.main.async { MainActor.assumeIsolated { probe.trace.append("worked") } }
                    }
                }
            }
            #expect(probe.delegate?.trace == ["worked"])
            try await device.home()
            #expect(probe.state == .suspended)
        }

        @Test("Without being asked for, time stays the machine's")
        func optIn() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe()
            try await device.open(probe)
            let date = try await probe.perform { _ in Date() }
            #expect(abs(date.timeIntervalSince(device.date)) > 86_400)
        }
    }
}
