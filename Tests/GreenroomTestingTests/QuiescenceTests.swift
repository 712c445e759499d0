import Dispatch
import GreenroomTesting
import Testing
import UIKit

extension TestingTests {
    /// What the app starts has run before time goes on, in the same order each time.
    @Suite("Rest")
    @MainActor
    struct QuiescenceTests {
        @Test(
            "Tasks, actors, groups, detached tasks and blocks have all run when a command returns, always in one order")
        func oneOrder() async throws {
            var first: [String] = []
            for round in 0..<60 {
                let device = try TestDevice(.iOS7)
                let probe = try device.installProbe { $0.onLaunch = { Work(of: $0).begin() } }
                try await device.open(probe)
                let trace = try #require(probe.delegate).trace
                #expect(trace.count { $0.hasPrefix("end") } == 3)
                #expect(trace.contains("background 5") && trace.contains("high 5"))
                if round == 0 { first = trace }
                try #require(trace == first, "round \(round)")
            }
        }

        @Test("What didEnterBackground starts has run before the app is frozen")
        func beforeFreeze() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe { probe in
                probe.onBackground = { probe in
                    Task {
                        for number in 0..<100 { _ = await away(3 + number % 2) }
                        probe.trace.append("saved")
                    }
                }
            }
            try await device.open(probe)
            try await device.home()
            #expect(probe.delegate?.trace == ["saved"])
        }

        @Test("A touch is the app's code like any other")
        func perform() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe()
            await #expect(throws: TestDeviceError.notRunning("Probe is not running: open it first")) {
                try await probe.perform { _ in }
            }
            try await device.open(probe)
            let count = try await probe.perform { probe in
                Task.detached { await away(9) }
                DispatchQueue.main.async { MainActor.assumeIsolated { probe.trace.append("later") } }
                return probe.trace.count
            }
            #expect(count == 0 && probe.delegate?.trace == ["later"])
            try await device.home()
            await #expect(throws: TestDeviceError.self) { try await probe.perform { _ in } }
        }

        @Test("An app that never rests is said to")
        func never() async throws {
            let device = try TestDevice(.iOS7)
            let probe = try device.installProbe { probe in
                probe.onLaunch = { probe in
                    probe.tasks.append(Task { while !Task.isCancelled { await Task.yield() } })
                }
            }
            await #expect(throws: TestDeviceError.neverRests) { try await device.open(probe) }
            probe.delegate?.tasks.forEach { $0.cancel() }
            try await device.settle()
            #expect(probe.state == .active)
        }

        @Test("The same calls give the same run, to the nanosecond; another seed another one")
        func reproducible() async throws {
            func run(_ seed: UInt64) async throws -> [TestDevice.LogEntry] {
                let device = try TestDevice(.iOS7, seed: seed)
                let browser = try device.installScripted("org.example.Browser", urlSchemes: ["https"])
                let probe = try device.installProbe { probe in
                    probe.onLaunch = { probe in
                        Task {
                            try await probe.clock.sleep(for: .milliseconds(250))
                            if let url = URL(string: "https://a.example") { await UIApplication.shared.open(url) }
                        }
                    }
                }
                try await device.open(probe)
                try await device.advance(by: .seconds(1))
                #expect(browser.state == .active)
                try await device.open(probe)
                try await device.interrupt(by: .sms)
                try await device.accept(.sms)
                return device.log
            }
            let first = try await run(7)
            #expect(first.count > 10)
            #expect(try await run(7) == first)
            #expect(try await run(8) != first)
        }
    }
}

@concurrent nonisolated func away(_ depth: Int) async -> Int {
    if depth == 0 { return 0 }
    return await Task.detached { await away(depth - 1) + 1 }.value
}

private actor Counter {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}

/// Work that hops to and fro.
@MainActor
private final class Work {
    private let probe: Probe
    private let counter = Counter()

    init(of probe: Probe) { self.probe = probe }

    func begin() {
        for number in 0..<3 { Task { await run(number) } }
        Task.detached(priority: .background) { [self] in await note("background \(await away(5))") }
        Task.detached(priority: .high) { [self] in await note("high \(await away(5))") }
    }

    private func run(_ number: Int) async {
        note("begin \(number)")
        note("away \(number) \(await away(20))")
        note("actor \(number) \(await counter.next())")
        await withTaskGroup(of: Int.self) { group in
            for child in 0..<3 { group.addTask { await away(child) + child * 10 } }
            for await result in group { note("group \(number) \(result)") }
        }
        let center = NotificationCenter.default
        let name = Notification.Name("Work \(number)")
        let token = center.addObserver(forName: name, object: nil, queue: .main) { [self] _ in
            MainActor.assumeIsolated { chain(10, number) }
        }
        center.post(name: name, object: nil)
        center.removeObserver(token)
    }

    private func chain(_ length: Int, _ number: Int) {
        note("block \(number) \(length)")
        if length > 0 {
            DispatchQueue.main.async { [self] in MainActor.assumeIsolated { chain(length - 1, number) } }
        } else {
            Task { note("end \(number)") }
        }
    }

    private func note(_ text: String) { probe.trace.append(text) }
}
