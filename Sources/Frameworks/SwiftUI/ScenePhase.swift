@_exported public import GreenroomCombine
internal import UIKit

/// What an app or a scene is doing.
public enum ScenePhase: Comparable, Sendable {
    /// Not on the screen.
    case background
    /// In the foreground, but events do not reach it.
    case inactive
    /// In front, and events reach it.
    case active

    @MainActor
    init(_ state: UIApplication.State) {
        switch state {
        case .active: self = .active
        case .inactive: self = .inactive
        default: self = .background
        }
    }
}

/// Tells of the app's phases, for code without UIKit.
@MainActor
public enum ScenePhases {
    /// The app's phase; `background` where no app runs.
    public static var current: ScenePhase {
        UIApplication.running == nil ? .background : ScenePhase(UIApplication.shared.applicationState)
    }

    /// The phases from now on, the present one first. One that is as the one before is left out.
    public static var updates: AsyncStream<ScenePhase> {
        AsyncStream { continuation in
            // In the order in which the app comes through them.
            let phases: [(Notification.Name, ScenePhase)] = [
                (UIApplication.willEnterForegroundNotification, .inactive),
                (UIApplication.didBecomeActiveNotification, .active),
                (UIApplication.willResignActiveNotification, .inactive),
                (UIApplication.didEnterBackgroundNotification, .background),
            ]
            let last = Last()
            last.say(current, to: continuation)
            let center = NotificationCenter.default
            let tokens = phases.map { name, phase in
                center.addObserver(forName: name, object: nil, queue: nil) { _ in
                    MainActor.assumeIsolated { last.say(phase, to: continuation) }
                }
            }
            // Only given back to the center.
            nonisolated(unsafe) let kept = tokens
            continuation.onTermination = { _ in
                for token in unsafe kept { center.removeObserver(token) }
            }
        }
    }

    @MainActor
    private final class Last {
        private var phase: ScenePhase?

        func say(_ phase: ScenePhase, to continuation: AsyncStream<ScenePhase>.Continuation) {
            guard phase != self.phase else { return }
            self.phase = phase
            continuation.yield(phase)
        }
    }
}
