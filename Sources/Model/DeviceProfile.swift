/// What a device of a certain year does. Data: a JSON file with these keys can stand in for a built-in profile.
package struct DeviceProfile: Hashable, Sendable, Codable {
    /// What locking does to the app in front (L3).
    package enum Locking: String, Hashable, Sendable, Codable {
        case leavesInactive
        case sendsToBackground
    }

    /// Where an expiration handler runs.
    package enum ExpirationThread: String, Hashable, Sendable, Codable {
        case anyThread
        case mainThread
    }

    /// How long each callback may take; see `limit(for:)`.
    package struct CallbackLimits: Hashable, Sendable, Codable {
        package var willFinishLaunching: Span
        package var didFinishLaunching: Span
        package var didBecomeActive: Span
        package var willResignActive: Span
        package var didEnterBackground: Span
        package var willEnterForeground: Span
        package var willTerminate: Span
        package var openURL: Span
        package var didReceiveMemoryWarning: Span
        package var performFetch: Span
        package var handleEventsForBackgroundURLSession: Span
        package var launchBackgroundTask: Span

        package init(launch: Span, resume: Span, leave: Span, terminate: Span, window: Span? = nil) {
            willFinishLaunching = launch
            didFinishLaunching = launch
            didBecomeActive = resume
            willResignActive = resume
            didEnterBackground = leave
            willEnterForeground = resume
            willTerminate = terminate
            openURL = resume
            didReceiveMemoryWarning = resume
            performFetch = window ?? resume
            handleEventsForBackgroundURLSession = window ?? resume
            launchBackgroundTask = resume
        }

        /// A profile from before there were memory warnings says nothing of them.
        package init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            func limit(_ key: CodingKeys) throws -> Span { try values.decode(Span.self, forKey: key) }
            willFinishLaunching = try limit(.willFinishLaunching)
            didFinishLaunching = try limit(.didFinishLaunching)
            didBecomeActive = try limit(.didBecomeActive)
            willResignActive = try limit(.willResignActive)
            didEnterBackground = try limit(.didEnterBackground)
            willEnterForeground = try limit(.willEnterForeground)
            willTerminate = try limit(.willTerminate)
            openURL = try limit(.openURL)
            didReceiveMemoryWarning =
                try values.decodeIfPresent(Span.self, forKey: .didReceiveMemoryWarning) ?? openURL
            let usual = openURL
            func later(_ key: CodingKeys) throws -> Span {
                try values.decodeIfPresent(Span.self, forKey: key) ?? usual
            }
            performFetch = try later(.performFetch)
            handleEventsForBackgroundURLSession = try later(.handleEventsForBackgroundURLSession)
            launchBackgroundTask = try later(.launchBackgroundTask)
        }

        package func limit(for callback: CallbackKind) -> Span {
            switch callback {
            case .willFinishLaunching: willFinishLaunching
            case .didFinishLaunching: didFinishLaunching
            case .didBecomeActive: didBecomeActive
            case .willResignActive: willResignActive
            case .didEnterBackground: didEnterBackground
            case .willEnterForeground: willEnterForeground
            case .willTerminate: willTerminate
            case .openURL: openURL
            case .didReceiveMemoryWarning: didReceiveMemoryWarning
            case .performFetch: performFetch
            case .handleEventsForBackgroundURLSession: handleEventsForBackgroundURLSession
            case .launchBackgroundTask, .handleServiceEvents: launchBackgroundTask
            // `Callback.timed` says which one it is.
            case .scene: willEnterForeground
            }
        }
    }

    package var name: String
    /// False for iPhone OS 3: an app that leaves the screen ends (L10).
    package var hasMultitasking: Bool
    package var locking: Locking
    package var expirationThread: ExpirationThread
    /// From the start of the process to the return of `didFinishLaunching`.
    package var launchLimit: Span
    package var callbackLimits: CallbackLimits
    /// How long the main thread may stay blocked.
    package var mainThreadLimit: Span
    /// How often a running app is looked at: main thread and number of processes.
    package var checkInterval: Span
    /// More processes than this in one app end it.
    package var processLimit: Int32
    /// How long one attempt to freeze may take, and how many follow each other before it is reported.
    package var freezeLimit: Span
    package var freezeAttempts: UInt8
    /// Secondary and picture-in-picture apps exist.
    package var hasSplitScreen: Bool
    /// How memory is shared; `nil`: as everywhere.
    package var memory: MemoryRules?
    /// What background tasks may take; `nil`: as today.
    package var tasks: TaskRules?
    /// What becomes of a suspended app's sockets; `nil`: as everywhere.
    package var sockets: SocketRules?
    /// The radio of its cellular network; `nil`: LTE.
    package var cellular: RadioModel?

    package var cellularModel: RadioModel { cellular ?? .lte }

    package var socketRules: SocketRules { sockets ?? SocketRules() }
    /// What apps may do that are woken for something; `nil`: as today.
    package var windows: WindowRules?

    package var windowRules: WindowRules { windows ?? WindowRules() }
    /// When it saves power by itself; `nil`: never, as before there was a low-power mode.
    package var power: PowerRules?
    /// How long protected files can be read after the device was locked; `nil`: always, as before there was data
    /// protection.
    package var protectsDataAfter: Span?
    /// Files and folders that apps share, by the names under which apps hear that one was changed; `nil`: none.
    package var stores: [String: String]?
    /// How often an app may have the system work for it; `nil`: without end, as in recordings from before there were
    /// allowances.
    package var allowances: Allowances?

    /// A profile from a file may say nothing of them.
    package var withAllowances: DeviceProfile {
        var profile = self
        profile.allowances = allowances ?? Allowances()
        return profile
    }

    /// How long an app has for the callback until the watchdog ends it.
    package func limit(for callback: CallbackKind) -> Span { callbackLimits.limit(for: callback) }
}

extension DeviceProfile {
    /// The profiles that Greenroom ships; `docs/PROFILES.md` prints them as a table.
    package static let all: [DeviceProfile] = [.linux, .iPhoneOS3, .iPhone3GS, .iPhone4, .iOS7, .iPadAir2]

    package static func named(_ name: String) -> DeviceProfile? { all.first { $0.name == name } }

    /// What the machine has, with today's behaviour.
    package static let linux = modern(
        "linux", hasSplitScreen: true, tasks: TaskRules(), windows: WindowRules(), power: PowerRules(),
        // Programs that know nothing of suspension keep what they have open for a while.
        sockets: SocketRules(connectionLimit: .seconds(180)))
    package static let iOS7 = modern("ios-7", hasSplitScreen: false, tasks: .iOS7, windows: .early)
    package static let iPadAir2 = modern("ipad-air-2", hasSplitScreen: true, tasks: .iOS7, windows: .early)
    package static let iPhone3GS = of2010("iphone-3gs", hasMultitasking: true)
    package static let iPhone4 = of2010("iphone-4", hasMultitasking: true)
    package static let iPhoneOS3 = of2010("iphone-os-3", hasMultitasking: false)

    private static func modern(
        _ name: String, hasSplitScreen: Bool, tasks: TaskRules, windows: WindowRules, power: PowerRules? = nil,
        sockets: SocketRules = .iOS
    ) -> DeviceProfile {
        DeviceProfile(
            name: name, hasMultitasking: true, locking: .sendsToBackground, expirationThread: .mainThread,
            launchLimit: .seconds(20),
            callbackLimits: CallbackLimits(
                launch: .seconds(20), resume: .seconds(10), leave: .seconds(5), terminate: .seconds(5),
                // Not before the window's own time is over.
                window: .seconds(35)),
            mainThreadLimit: .seconds(10), checkInterval: .seconds(5), processLimit: 512,
            freezeLimit: .seconds(1), freezeAttempts: 5, hasSplitScreen: hasSplitScreen, tasks: tasks,
            sockets: sockets, windows: windows, power: power, protectsDataAfter: .seconds(10),
            allowances: Allowances())
    }

    /// "We only gave you six seconds" (document A): one limit for every callback.
    private static func of2010(_ name: String, hasMultitasking: Bool) -> DeviceProfile {
        DeviceProfile(
            name: name, hasMultitasking: hasMultitasking, locking: .leavesInactive, expirationThread: .anyThread,
            launchLimit: .seconds(20),
            callbackLimits: CallbackLimits(
                launch: .seconds(6), resume: .seconds(6), leave: .seconds(6), terminate: .seconds(6)),
            mainThreadLimit: .seconds(10), checkInterval: .seconds(5), processLimit: 512,
            freezeLimit: .seconds(1), freezeAttempts: 5, hasSplitScreen: false, tasks: .iOS4,
            sockets: .iOS, cellular: .threeG, windows: .early,
            // It came with iOS 4.
            protectsDataAfter: hasMultitasking ? .seconds(10) : nil, allowances: Allowances())
    }
}
