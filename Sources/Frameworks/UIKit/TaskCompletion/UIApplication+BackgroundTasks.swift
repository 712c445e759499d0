internal import AppRuntime
public import Foundation
internal import Wire

/// A background task of this app.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    /// Counts the tasks of this process; 0 is none.
    public let rawValue: Int
    /// Creates an identifier.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// No task: the system grants none.
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

extension UIApplication {
    /// Tells the system that the app is about to do something that should be finished even if it leaves the screen
    /// (WWDC 2010, session 109).
    ///
    /// From the moment at which the app leaves the screen all its tasks together have the time that the device grants:
    /// 30 seconds today, 180 on `ios-7`, 600 on devices of 2010; some seconds where the app was woken for an event.
    /// Five seconds before the end the expiration handlers of all tasks that are left are called. A task that is not
    /// ended when the time is over ends the app, with a report that names it.
    ///
    /// On any thread; does not wait for the system.
    ///
    /// - Parameter handler: called on the main thread (on devices of 2010 on another one) when the time is nearly over:
    ///   pause the work and end the task in it, or as a consequence of it. Also called, soon, when the system does not
    ///   grant the task after all. The time in which it runs is not counted while a debugger is attached.
    /// - Returns: the task, for `endBackgroundTask(_:)`; `.invalid` if nothing can be granted: on a device without
    ///   multitasking, outside Greenroom, and in the background once the expiration handlers were called. The handler
    ///   is not called then.
    @preconcurrency
    public nonisolated func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(withName: nil, expirationHandler: handler)
    }

    /// As `beginBackgroundTask(expirationHandler:)`, with a name that logs, reports and the timeline show.
    ///
    /// - Parameter taskName: at most 256 bytes of it count; `nil`: a number.
    @preconcurrency
    public nonisolated func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        UIBackgroundTaskIdentifier(rawValue: backgroundTasks.begin(named: taskName, handler))
    }

    /// Ends a task. When the last one ends in the background, the app is suspended at once. On any thread.
    ///
    /// - Parameter identifier: of a task of this app. Another one, or `.invalid`, ends nothing; the report of an app
    ///   that is ended for a task says how often that happened.
    public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        backgroundTasks.end(identifier.rawValue)
    }

    /// Seconds that the app's background tasks may still take. `Double.greatestFiniteMagnitude` when that is not
    /// limited: in the foreground, without a background task, and while something else, audio for example, entitles the
    /// app to run. On any thread; asks the system.
    public nonisolated var backgroundTimeRemaining: TimeInterval { backgroundTasks.remaining }
}

extension ProcessInfo {
    /// Does something that should not be cut off by suspension, on a queue of its own.
    ///
    /// - Parameters:
    ///   - reason: what it is, for logs and reports.
    ///   - block: called with `false` to do the work. Called with `true`, while the first call may still be under
    ///     way, when the time is nearly over: the first call has to return soon. If nothing can be granted, it is only
    ///     called with `true`.
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
        let queue = DispatchQueue.global()
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                guard let tasks = UIApplication.running?.backgroundTasks else { return queue.async { block(true) } }
                let task = tasks.begin(named: reason) { queue.async { block(true) } }
                guard task != UIBackgroundTaskIdentifier.invalid.rawValue else { return queue.async { block(true) } }
                queue.async {
                    block(false)
                    tasks.end(task)
                }
            }
        }
    }
}
