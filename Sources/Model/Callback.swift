/// The delegate methods that the system calls, in Apple's names (`docs/PROTOCOL.md`, 2.2).
package enum CallbackKind: UInt8, Sendable, Codable, CaseIterable {
    case willFinishLaunching, didFinishLaunching, didBecomeActive, willResignActive, didEnterBackground
    case willEnterForeground, willTerminate, openURL, didReceiveMemoryWarning
    // What an app is woken for (S8 to S10).
    case performFetch, handleEventsForBackgroundURLSession, launchBackgroundTask, handleServiceEvents
    /// About one of its scenes: `Callback.scene` says what.
    case scene

    package var name: String {
        switch self {
        case .willFinishLaunching: "willFinishLaunching"
        case .didFinishLaunching: "didFinishLaunching"
        case .didBecomeActive: "didBecomeActive"
        case .willResignActive: "willResignActive"
        case .didEnterBackground: "didEnterBackground"
        case .willEnterForeground: "willEnterForeground"
        case .willTerminate: "willTerminate"
        case .openURL: "openURL"
        case .didReceiveMemoryWarning: "didReceiveMemoryWarning"
        case .performFetch: "performFetch"
        case .handleEventsForBackgroundURLSession: "handleEventsForBackgroundURLSession"
        case .launchBackgroundTask: "launchBackgroundTask"
        case .handleServiceEvents: "handleServiceEvents"
        case .scene: "scene"
        }
    }
}

extension CallbackKind {
    /// The others come while an app is in a state, and leave it there.
    package var leadsToState: Bool {
        switch self {
        case .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .willResignActive, .didEnterBackground,
            .willEnterForeground, .willTerminate:
            true
        case .scene: true
        case .openURL, .didReceiveMemoryWarning: false
        case .performFetch, .handleEventsForBackgroundURLSession, .launchBackgroundTask, .handleServiceEvents: false
        }
    }

    /// Opens a window.
    package var opensWindow: Bool {
        switch self {
        case .performFetch, .handleEventsForBackgroundURLSession, .launchBackgroundTask, .handleServiceEvents: true
        case .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .willResignActive, .didEnterBackground,
            .willEnterForeground, .willTerminate, .openURL, .didReceiveMemoryWarning, .scene:
            false
        }
    }
}

/// What hardly any callback has: one word wide in each of them.
private indirect enum Box<Value: Hashable & Sendable>: Hashable, Sendable {
    case box(Value)
}

/// Why an app was launched, as it is told in its launch options.
package struct LaunchOptions: Hashable, Sendable, Codable {
    private struct Given: Hashable, Sendable {
        var url: String?
        var sourceApplication: String?
        var notification: LaunchNotification?
        var service: BackgroundModes = []
    }

    /// `nil`: nothing was given.
    private var box: Box<Given>?

    package init(
        url: String? = nil, sourceApplication: String? = nil, service: BackgroundModes = [],
        notification: LaunchNotification? = nil
    ) {
        given = Given(url: url, sourceApplication: sourceApplication, notification: notification, service: service)
    }

    package static let none = LaunchOptions()

    package var url: String? {
        get { given.url }
        set { given.url = newValue }
    }

    package var sourceApplication: String? {
        get { given.sourceApplication }
        set { given.sourceApplication = newValue }
    }

    /// What it was launched for.
    package var notification: LaunchNotification? {
        get { given.notification }
        set { given.notification = newValue }
    }

    /// The mode of the service that launched the app into the background.
    package var service: BackgroundModes {
        get { given.service }
        set { given.service = newValue }
    }

    private var given: Given {
        get {
            guard case .box(let given) = box else { return Given() }
            return given
        }
        set { box = newValue == Given() ? nil : .box(newValue) }
    }

    // As if the values lay here. A checkpoint from before there were notifications says nothing of them.

    private enum CodingKeys: String, CodingKey { case url, sourceApplication, service, notification }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            url: try values.decodeIfPresent(String.self, forKey: .url),
            sourceApplication: try values.decodeIfPresent(String.self, forKey: .sourceApplication),
            service: try values.decode(BackgroundModes.self, forKey: .service),
            notification: try values.decodeIfPresent(LaunchNotification.self, forKey: .notification))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(url, forKey: .url)
        try values.encodeIfPresent(sourceApplication, forKey: .sourceApplication)
        try values.encode(service, forKey: .service)
        try values.encodeIfPresent(notification, forKey: .notification)
    }
}

/// A callback on its way to an app.
package struct Callback: Hashable, Sendable, Codable {
    private struct About: Hashable, Sendable {
        var window: OpenWindow?
        var scene: SceneCall?
    }

    package var number: CallbackNumber
    /// `nil`: about the app alone. Before what is smaller, so that no room is lost between.
    private var box: Box<About>?
    /// Launch callbacks carry the options; `openURL` its URL and source.
    package var options: LaunchOptions
    package var kind: CallbackKind
    /// For launch callbacks: whether the app is launched into the background.
    package var isBackground: Bool
    /// For a memory warning: how short memory is.
    package var memoryLevel: MemoryLevel

    package init(
        number: CallbackNumber, kind: CallbackKind, options: LaunchOptions = .none, isBackground: Bool = false,
        memoryLevel: MemoryLevel = .normal, window: OpenWindow? = nil, scene: SceneCall? = nil
    ) {
        self.number = number
        self.kind = kind
        self.options = options
        self.isBackground = isBackground
        self.memoryLevel = memoryLevel
        if window != nil || scene != nil { box = .box(About(window: window, scene: scene)) }
    }

    /// What it opens, if it does.
    package var window: OpenWindow? { about?.window }

    /// What becomes of which scene, if it is about one.
    package var scene: SceneCall? { about?.scene }

    private var about: About? {
        guard case .box(let about) = box else { return nil }
        return about
    }

    /// As the app hears it, and people.
    package var name: String {
        if case .scene = kind, let scene { return scene.step.name }
        return kind.name
    }

    /// The one whose time limit holds.
    package var timed: CallbackKind {
        if case .scene = kind, let scene { return scene.step.timed }
        return kind
    }

    // As if the values lay here.

    private enum CodingKeys: String, CodingKey { case number, kind, options, isBackground, memoryLevel, window, scene }

    /// A checkpoint from before there were memory warnings says nothing of them.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            number: try values.decode(CallbackNumber.self, forKey: .number),
            kind: try values.decode(CallbackKind.self, forKey: .kind),
            options: try values.decode(LaunchOptions.self, forKey: .options),
            isBackground: try values.decode(Bool.self, forKey: .isBackground),
            memoryLevel: try values.decodeIfPresent(MemoryLevel.self, forKey: .memoryLevel) ?? .normal,
            window: try values.decodeIfPresent(OpenWindow.self, forKey: .window),
            scene: try values.decodeIfPresent(SceneCall.self, forKey: .scene))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(number, forKey: .number)
        try values.encode(kind, forKey: .kind)
        try values.encode(options, forKey: .options)
        try values.encode(isBackground, forKey: .isBackground)
        try values.encode(memoryLevel, forKey: .memoryLevel)
        try values.encodeIfPresent(window, forKey: .window)
        try values.encodeIfPresent(scene, forKey: .scene)
    }
}

/// How a process ended.
package enum ExitStatus: Hashable, Sendable, Codable {
    case exited(Int32)
    case signaled(Int32)
    /// The kernel ended it, since the machine or a cgroup around the system had no memory left.
    case outOfMemory
    /// Nobody could collect the status.
    case unknown
}
