internal import AppRuntime
public import Foundation
internal import Synchronization

/// Work that the system launches because the app asked for it (`BGTaskScheduler`).
///
/// It may be handed to any thread. `@unchecked`, since a class that can be subclassed cannot be proven to be so: what
/// it has is constant or behind a lock.
open class BGTask: NSObject, @unchecked Sendable {
    let launch: BackgroundLaunches.Launch
    private let handler = Mutex<Handler?>(nil)
    private let isCompleted = Atomic(false)

    /// A handler as the app gives it, which says nothing of threads, as Apple's does not: it is called on the main
    /// queue, once. `@unchecked`, since it only passes from the setter to there, behind a lock.
    private struct Handler: @unchecked Sendable {
        let call: () -> Void
    }

    init(_ launch: BackgroundLaunches.Launch) {
        self.launch = launch
        super.init()
    }

    /// The identifier that the app asked with.
    open var identifier: String { launch.identifier }

    /// Called on the main queue shortly before the time is over: the app pauses the work and calls
    /// `setTaskCompleted(success:)`.
    open var expirationHandler: (() -> Void)? {
        get { handler.withLock { $0 }?.call }
        set {
            let given = newValue.map(Handler.init)
            handler.withLock { $0 = given }
            BackgroundLaunches.shared.setExpiration(launch.window) { given?.call() }
        }
    }

    /// The work is done, or is given up. The system takes the app's snapshot anew and suspends it. What is said a
    /// second time counts for nothing, and standard error says so. On any thread.
    open func setTaskCompleted(success: Bool) {
        if isCompleted.exchange(true, ordering: .relaxed) {
            let line = """
                \(ProcessInfo.processInfo.processName): setTaskCompleted(success:) was called more than once for the \
                task “\(identifier)”

                """
            // Without a standard error there is nobody to tell.
            try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
            return
        }
        BackgroundLaunches.shared.complete(launch.window, success: success)
    }
}

/// Work that brings the app's content up to date; it has half a minute.
open class BGAppRefreshTask: BGTask, @unchecked Sendable {}

/// Work that takes some minutes.
open class BGProcessingTask: BGTask, @unchecked Sendable {}
