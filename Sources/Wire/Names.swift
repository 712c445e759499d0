/// The version of `docs/PROTOCOL.md` that this module speaks.
package let protocolVersion = 1

/// The bounds of section 1.
package enum Limits {
    /// Bytes of a line, its newline included.
    package static let lineLength = 1_048_576
    /// Of fewer apps in an answer to `apps`, there are no more: only a long answer ends before the last one.
    package static let leastAppsPage = 32
    /// Bytes that may wait for a peer that does not read.
    package static let waitingOutput = 256 * 1024
    /// Bytes of an `id` that is a string.
    package static let identifierLength = 128
    /// The largest `id` that is a number: every JSON library can represent it.
    package static let identifierMagnitude: Int64 = 1 << 53
    /// Bytes of a background task's name.
    package static let taskName = 256
    /// Background tasks of an app at once, as today's profiles have it.
    package static let backgroundTasks = 1000
    /// Bytes of the identifier of a task of `BGTaskScheduler`, or of a URL session.
    package static let windowIdentifier = 256
    /// Bytes of the name of a locale or a time zone.
    package static let placeName = 64
    /// Descriptors a message.
    package static let descriptors = 8
    /// Results of callbacks that an app keeps for repetitions.
    package static let keptResults = 16
}

/// The environment that the daemon gives an app (section 2).
package enum AppEnvironment {
    package static let descriptor = "GREENROOM_FD"
    package static let socket = "GREENROOM_SOCKET"
    package static let app = "GREENROOM_APP"
}

/// The callbacks of section 2.2.
package enum CallbackName: String, Sendable, CaseIterable {
    case willFinishLaunching, didFinishLaunching, didBecomeActive, willResignActive, didEnterBackground
    case willEnterForeground, willTerminate, openURL, didReceiveMemoryWarning
    case performFetch, handleEventsForBackgroundURLSession, launchBackgroundTask, handleServiceEvents
    case sceneWillConnect, sceneWillEnterForeground, sceneDidBecomeActive, sceneWillResignActive
    case sceneDidEnterBackground, sceneDidDisconnect, didDiscardScene
}

/// The other methods of the app socket (sections 2.1, 2.3, 2.4).
package enum AppMethod: String, Sendable, CaseIterable {
    case hello, ping, openURL, canOpenURL, state, beginTask, endTask, backgroundTime
    case provideSnapshots, refreshSnapshot, snapshot, ignoreSnapshot
    case connect
    case complete, setFetchInterval, submitTask, cancelTask, pendingTasks, keepScreenOn
    case activateScene, destroyScene
}

/// The notifications of section 2.6.
package enum AppNotification: String, Sendable, CaseIterable {
    case tasksExpire, systemChanged, takeSnapshot, windowExpires
}

/// The methods of the control socket (section 3).
package enum ControlMethod: String, Sendable, CaseIterable {
    case status, apps, open, home, lock, unlock, switcher, close, restart, exempt, install, uninstall, simulate, log
    case why, reports, report, output, attach, doctor, down, memory, timeline, snapshot, fetch, refresh
    case energy, services, service, shortcuts
    case defaultApp = "default"
}

/// The notification that follows `log` with `follow`.
package let logEntryNotification = "log.entry"

/// The events of `simulate` (section 3.2).
package enum SimulatedEvent: String, Sendable, CaseIterable {
    case call, sms, alert, sleep, wake, reboot
    case callAccept = "call-accept"
    case callDecline = "call-decline"
    case callEnd = "call-end"
    case smsDismiss = "sms-dismiss"
    case smsOpen = "sms-open"
    case alertDismiss = "alert-dismiss"
    case memoryWarning = "memory-warning"
    case memoryPressure = "memory-pressure"
    case memoryPressureCritical = "memory-pressure-critical"
    case memoryPressureOver = "memory-pressure-over"
    case network, battery, locale, timezone, screen, settings, fetch
    case lowPower = "low-power"
    case thermal, orientation, screenshot, clock, store
}
