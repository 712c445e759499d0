internal import Synchronization
public import Testing
internal import UIKit

/// Lets a test have the process for itself, as far as a device needs it: see `Trait.simulatedDevice`.
public struct SimulatedDeviceTrait: SuiteTrait, TestTrait, TestScoping {
    /// Whether it is the turn of the test that this task belongs to.
    @TaskLocal private static var hasTurn = false

    /// A suite hands it on to its tests.
    public var isRecursive: Bool { true }

    /// Waits for its turn, runs the test, and takes its device down.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // Around a whole suite there is nothing to do; its tests would wait for it.
        // Where suite and test both ask for it, the turn is one.
        guard testCase != nil, !Self.hasTurn else { return try await function() }
        await Turn.shared.take()
        let explains = IssueHandlingTrait.compactMapIssues { issue in
            var issue = issue
            if let text = RecentLog.text { issue.comments.append(Comment(rawValue: text)) }
            return issue
        }
        do {
            try await Self.$hasTurn.withValue(true) {
                try await explains.provideScope(for: test, testCase: testCase, performing: function)
            }
        } catch let error as TestDeviceError {
            // Outside of the scope nobody could explain it.
            Issue.record(error, RecentLog.text.map(Comment.init(rawValue:)), sourceLocation: test.sourceLocation)
        } catch {
            await Turn.shared.give()
            throw error
        }
        await Turn.shared.give()
    }
}

extension Trait where Self == SimulatedDeviceTrait {
    /// For suites and tests that make a `TestDevice`: they take turns, in whatever suites they are, since
    /// `UIApplication.shared` is one for a process; what a test leaves of its device is taken down; and when an
    /// expectation fails, the last lines of the device's log are printed with it.
    public static var simulatedDevice: Self { SimulatedDeviceTrait() }
}

/// Whose turn it is.
@MainActor
private final class Turn {
    static let shared = Turn()

    private var isTaken = false
    /// The first comes first.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func give() {
        TestDevice.current?.end()
        // Also one that was made without a device.
        UIApplication.running?.end()
        RecentLog.end()
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}

/// The last lines of the present device's log, for whoever reports an issue, on whatever thread.
package enum RecentLog {
    private static let length = 20
    private static let lines = Mutex<(count: Int, lines: [String])?>(nil)

    static func begin() { lines.withLock { $0 = (0, []) } }
    static func end() { lines.withLock { $0 = nil } }

    /// - Parameter last: the last so many lines.
    @MainActor
    static func update(_ count: Int, _ last: (Int) -> [String]) {
        guard lines.withLock({ $0?.count != count }) else { return }
        let newest = last(length)
        lines.withLock { $0 = (count, newest) }
    }

    package static var text: String? {
        guard let lines = lines.withLock({ $0?.lines }), !lines.isEmpty else { return nil }
        var text = "The device's log up to here:\n" + lines.map { "    \($0)" }.joined(separator: "\n")
        let waits = MainQueue.realTimeWaits
        if !waits.isEmpty {
            text += "\nSomething waits in real time, which the device's clock knows nothing of: "
            text += waits.map(\.description).joined(separator: ", ")
        }
        return text
    }
}
