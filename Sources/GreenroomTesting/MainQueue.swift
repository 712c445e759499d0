internal import AppRuntime
internal import CQuiescence
internal import Dispatch
internal import Foundation

/// What the app started, and when all of it has run. `docs/TESTING.md` says what is covered.
@MainActor
enum MainQueue {
    /// How often the queue is looked at before the app is said to go on for ever; a matter of seconds.
    static let patience = 1_000_000
    /// How many milliseconds what runs on other queues is waited for.
    static let limitOfOthers = 2000
    /// How many milliseconds a server has for an answer that is waited for. One on this machine needs few.
    static let limitOfNetwork = 300
    /// How many of them are left on this device: an app that asks a server again and again which does not answer is
    /// not to keep a test for minutes.
    fileprivate static var patienceWithNetwork = 0

    /// Whether this process can be looked into.
    static func prepare() throws(TestDeviceError) {
        switch quiescence_prepare() {
        case QUIESCENCE_LINKED_STATICALLY:
            throw .unsupported("Swift's libraries are part of this executable: test without -static-stdlib")
        case QUIESCENCE_UNKNOWN_LAYOUT:
            throw .unsupported(
                "this version of libdispatch is laid out in a way that GreenroomTesting does not know: "
                    + "test with Swift 6.3")
        default: break
        }
        // As in tests of XCTest: the first thread's run loop serves the main queue, and takes it over in portions.
        isRunLoop = Thread.isMainThread
    }

    /// Whether the main queue is served by the run loop of the first thread.
    private(set) static var isRunLoop = false

    /// While on, what tasks do beside the main actor is done on the main queue, too, one thing after another.
    static func takesTasks(_ on: Bool) {
        patienceWithNetwork = 2 * limitOfNetwork
        quiescence_keep_on_main_queue(on)
        Turn.staysOnMainQueue(on)
    }

    /// What began to wait in real time since tasks are taken.
    nonisolated static var realTimeWaits: [TestDevice.RealTimeWait] {
        TestDevice.RealTimeWait.allCases.filter { quiescence_count($0.counter) > 0 }
    }

    /// Waits until the main queue is empty: no main actor's job is ready, and no block waits.
    ///
    /// - Parameter patience: how often to look.
    static func rest(patience: Int = patience) async throws(TestDeviceError) {
        let watch = Watch(patience: patience)
        let isAtRest = await withCheckedContinuation { continuation in
            watch.continuation = continuation
            watch.lineUp()
        }
        if !isAtRest { throw .neverRests }
    }

    /// Stands in the queue, and when its turn has come, checks whether another stands behind it.
    @MainActor
    private final class Watch {
        var patience: Int
        var continuation: CheckedContinuation<Bool, Never>?
        /// How many milliseconds it has waited for other queues, in real time.
        private var waits = 0
        /// How many of them for servers alone.
        private var networkWaits = 0

        init(patience: Int) { self.patience = patience }

        func lineUp() {
            // The run loop does this between two portions, when nothing of the queue is hidden.
            if MainQueue.isRunLoop {
                return RunLoop.main.perform { [self] in MainActor.assumeIsolated { look() } }
            }
            DispatchQueue.main.async { [self] in MainActor.assumeIsolated { look() } }
        }

        private func look() {
            patience -= 1
            // In this order: what runs elsewhere comes back to the main queue before it ends.
            let isQuiet = quiescence_is_quiet()
            let isEmpty = quiescence_is_main_queue_empty()
            guard patience > 0 else { return finish(isEmpty) }
            guard isEmpty else { return lineUp() }
            guard isQuiet else { return waitForOthers() }
            finish(true)
        }

        /// What the app gave to other queues takes real time; what takes long is none of what it waits for.
        private func waitForOthers() {
            waits += 1
            if waits > MainQueue.limitOfOthers { quiescence_forget_work() }
            if quiescence_is_only_network() { waitForServer() }
            unsafe quiescence_call_later(1_000_000, Unmanaged.passRetained(self).toOpaque()) { watch in
                guard let watch = unsafe watch else { return }
                let known = unsafe Unmanaged<Watch>.fromOpaque(watch).takeRetainedValue()
                MainActor.assumeIsolated { known.lineUp() }
            }
        }

        /// What is given up goes on, and comes to the app when it comes.
        private func waitForServer() {
            networkWaits += 1
            guard networkWaits > min(MainQueue.limitOfNetwork, MainQueue.patienceWithNetwork) else { return }
            MainQueue.patienceWithNetwork = max(0, MainQueue.patienceWithNetwork - networkWaits)
            networkWaits = 0
            quiescence_forget_work()
        }

        private func finish(_ isAtRest: Bool) {
            continuation?.resume(returning: isAtRest)
            continuation = nil
        }
    }
}

extension TestDevice.RealTimeWait {
    fileprivate var counter: quiescence_wait {
        switch self {
        case .taskSleep: QUIESCENCE_TASK_SLEEP
        case .dispatchTimer: QUIESCENCE_DISPATCH_TIMER
        case .runLoopTimer: QUIESCENCE_RUN_LOOP_TIMER
        }
    }
}
