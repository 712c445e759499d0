import Dispatch
import GreenroomTesting
import Testing
import UIKit

extension TestingTests {
    @Suite("Background tasks in the app's own code")
    @MainActor
    struct BackgroundTaskTests {
        /// A probe that begins a task when it leaves, and whose handler does this.
        private func install(
            _ device: TestDevice, handler: @escaping @MainActor @Sendable (Probe) -> Void
        ) throws -> TestedApp<Probe> {
            try device.installProbe { probe in
                probe.onBackground = { probe in
                    probe.backgroundTask = UIApplication.shared.beginBackgroundTask(withName: "upload") {
                        probe.trace.append("expired")
                        handler(probe)
                    }
                }
            }
        }

        @Test("The handler is called in virtual time, and the end of the task suspends the app")
        func expires() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try install(device) { UIApplication.shared.endBackgroundTask($0.backgroundTask) }
            try await device.open(probe)
            #expect(probe.application?.backgroundTimeRemaining == .greatestFiniteMagnitude)
            try await device.home()
            #expect(probe.state == .background)
            #expect(probe.assertions.map(\.name) == ["task"])
            let remaining = try #require(probe.application?.backgroundTimeRemaining)
            #expect((179...180).contains(remaining))
            try await device.advance(by: .seconds(170))
            #expect(probe.state == .background && probe.delegate?.trace.isEmpty == true)
            try await device.advance(by: .seconds(8))
            #expect(probe.delegate?.trace == ["expired"])
            #expect(probe.state == .suspended && probe.reports.isEmpty)
        }

        @Test("A task that ends in time suspends the app at once")
        func ends() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try install(device) { _ in }
            try await device.open(probe)
            try await device.home()
            try await device.advance(by: .seconds(20))
            let delegate = try #require(probe.delegate)
            probe.application?.endBackgroundTask(delegate.backgroundTask)
            try await device.settle()
            #expect(probe.state == .suspended && delegate.trace.isEmpty)
        }

        @Test("A task that is not ended ends the app, with a report that names it")
        func overdue() async throws {
            let device = try TestDevice(.linux)
            let probe = try install(device) { _ in }
            try await device.open(probe)
            try await device.home()
            try await device.advance(by: .seconds(31))
            #expect(probe.state == .notRunning)
            #expect(probe.reports.first?.reason.contains("“upload”") == true)
        }

        @Test("After the handler a new task is invalid, until the app is back on screen")
        func invalid() async throws {
            let device = try TestDevice(.linux)
            let probe = try install(device) { probe in
                let second = UIApplication.shared.beginBackgroundTask { probe.trace.append("never") }
                probe.trace.append("\(second == .invalid)")
                UIApplication.shared.endBackgroundTask(probe.backgroundTask)
            }
            try await device.open(probe)
            try await device.home()
            try await device.advance(by: .seconds(40))
            #expect(probe.delegate?.trace == ["expired", "true"])
            try await device.open(probe)
            #expect(probe.application?.beginBackgroundTask() != .invalid)
        }

        @Test("A thread may begin a task while the main thread waits for it")
        func elsewhere() async throws {
            let device = try TestDevice(.linux)
            let probe = try device.installProbe { probe in
                probe.onBackground = { probe in
                    let application = UIApplication.shared
                    let isBegun = DispatchSemaphore(value: 0)
                    DispatchQueue.global().async {
                        let task = application.beginBackgroundTask(withName: "elsewhere")
                        DispatchQueue.main.async { MainActor.assumeIsolated { probe.backgroundTask = task } }
                        isBegun.signal()
                    }
                    probe.trace.append(isBegun.wait(timeout: .now() + 5) == .success ? "begun" : "waited in vain")
                }
            }
            try await device.open(probe)
            try await device.home()
            #expect(probe.delegate?.trace == ["begun"])
            #expect(probe.state == .background && probe.assertions.map(\.name) == ["task"])
            let task = try #require(probe.delegate?.backgroundTask)
            try await probe.perform { _ in UIApplication.shared.endBackgroundTask(task) }
            #expect(probe.state == .suspended)
        }

        @Test("A device without multitasking grants nothing")
        func noMultitasking() async throws {
            let device = try TestDevice(.iPhoneOS3)
            let probe = try device.installProbe()
            try await device.open(probe)
            #expect(probe.application?.beginBackgroundTask() == .invalid)
        }
    }
}
