/// Why an app is not woken. As long as several stand in the way, the first one is told.
package enum WakeObstacle: Hashable, Sendable, Codable {
    case noMultitasking(profile: String)
    case plainProgram
    case missingMode(key: String)
    /// It never said how often, so it is never fetched.
    case neverAsked
    /// It names tasks in its `Info.plist`, which are begun instead.
    case hasTasks
    case refreshIsOff
    /// By the user, in the switcher.
    case closedByUser
    case onScreen
    case beingEnded
    case underWay
    case shuttingDown
    case noNetwork
    case batteryLow(percent: Int32, least: Int32)
    case noPower
    case lowPower
    case tooWarm(ThermalState)
    /// The app, or what it asked, or the plan says so: the time, and why.
    case tooEarly(until: WallTime?, because: String)
    /// It was launched for such a task a moment ago.
    case tooSoon(until: WallTime, pause: Span)
    /// It was launched for such tasks as often as it may be in a day.
    case usedUp(until: WallTime, daily: Int32)

    /// When it goes by itself, where that is known.
    package var until: WallTime? {
        switch self {
        case .tooEarly(let until, _): until
        case .tooSoon(let until, _), .usedUp(let until, _): until
        default: nil
        }
    }

    /// What is missing, for people.
    package var sentence: String {
        switch self {
        case .noMultitasking(let profile):
            "it does not take part in multitasking, or a device of profile \(profile) has none"
        case .plainProgram: "it is a plain program, with nobody in it who could be called"
        case .missingMode(let key): "its Info.plist lacks \(key) in UIBackgroundModes"
        case .neverAsked: "it never called setMinimumBackgroundFetchInterval, and the default is never"
        case .hasTasks:
            "its Info.plist has BGTaskSchedulerPermittedIdentifiers, and such apps are not fetched since iOS 13: submit a "
                + "BGAppRefreshTaskRequest instead"
        case .refreshIsOff: "the user has switched background refresh off for it"
        case .closedByUser: "the user closed it in the switcher, and has not opened it since"
        case .onScreen: "it is on screen, where it looks for itself"
        case .beingEnded: "it is being ended"
        case .underWay: "it is under way already"
        case .shuttingDown: "the system is shutting down"
        case .noNetwork: "there is no network"
        case .batteryLow(let percent, let least):
            "the battery is at \(percent) %, and below \(least) % nothing is done in the background without a charger"
        case .noPower: "it needs external power, and there is none"
        case .lowPower: "low-power mode is on, in which nothing is begun in the background"
        case .tooWarm(let state):
            "the device is warm (\(state.name)), and nothing is begun in the background before it has cooled down"
        case .tooEarly(_, let because): because
        case .tooSoon(_, let pause):
            "it was launched for such a task less than \(pause.minutes) ago, and an app is launched for one every "
                + "\(pause.minutes) at most"
        case .usedUp(_, let daily):
            "it was launched for such tasks \(daily) times within a day, which is as often as an app may be"
        }
    }

    /// What has to happen so that it is looked at anew, where no moment is known.
    package var changesWith: String? {
        switch self {
        case .noMultitasking, .plainProgram, .missingMode, .hasTasks: nil
        case .neverAsked: "when it sets an interval"
        case .refreshIsOff: "when the user allows it"
        case .closedByUser: "when the user opens it, or the device restarts"
        case .onScreen: "when it has left the screen"
        case .beingEnded, .underWay: "when that is over"
        case .shuttingDown: "after the next start"
        case .noNetwork: "when there is a network"
        case .batteryLow: "when the battery is charged, or full enough"
        case .noPower: "when a charger is connected"
        case .lowPower: "when low-power mode ends"
        case .tooWarm: "when the device has cooled down"
        case .tooEarly, .tooSoon, .usedUp: nil
        }
    }
}
