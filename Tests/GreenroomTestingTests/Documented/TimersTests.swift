import GreenroomTesting
import Testing

extension TestingTests {
    @Suite("Timers on a clock")
    @MainActor
    struct TimersTests {
        @Test("A timer that was missed while the app was suspended fires once, and then goes on as it was set")
        func missed() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe { probe in
                probe.onLaunch = { probe in
                    _ = probe.clock.timer(every: .seconds(60)) { probe.trace.append("tick") }
                    probe.clock.after(.seconds(90)) { probe.trace.append("once") }
                    probe.clock.after(.seconds(1)) { probe.trace.append("never") }.cancel()
                }
            }
            try await device.open(probe)
            try await device.advance(by: .seconds(61))
            #expect(probe.delegate?.trace == ["tick"])
            try await device.home()
            try await device.advance(by: .seconds(600))
            try await device.open(probe)
            #expect(probe.delegate?.trace == ["tick", "once", "tick"])
            // The next whole minute since the launch is less than a minute away.
            try await device.advance(by: .seconds(59))
            #expect(probe.delegate?.trace == ["tick", "once", "tick", "tick"])
        }
    }
}
