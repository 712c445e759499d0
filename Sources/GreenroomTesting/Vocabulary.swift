internal import Model
internal import PolicyCore
internal import Simulation

extension TestDevice {
    /// What a device of a certain year does: its limits, what locking means, whether there is multitasking at all
    /// (`docs/PROFILES.md`).
    public struct Profile: Hashable, Sendable, CustomStringConvertible {
        let model: DeviceProfile

        /// Today's behaviour, with several apps on the screen.
        public static let linux = Profile(model: .linux)
        /// A phone of 2013.
        public static let iOS7 = Profile(model: .iOS7)
        /// A tablet of 2015, with several apps on the screen.
        public static let iPadAir2 = Profile(model: .iPadAir2)
        /// A phone of 2010: locking leaves the app inactive, and every callback has six seconds.
        public static let iPhone4 = Profile(model: .iPhone4)
        /// A phone of 2009 with the system of 2010.
        public static let iPhone3GS = Profile(model: .iPhone3GS)
        /// A phone without multitasking: an app that leaves the screen ends.
        public static let iPhoneOS3 = Profile(model: .iPhoneOS3)

        /// All of them.
        public static let all: [Profile] = DeviceProfile.all.map { Profile(model: $0) }

        /// The one that `greenroom up --device` takes by this name, for tests that are given it from outside.
        ///
        /// - Throws: `TestDeviceError.unsupported`, which lists the names, if there is none.
        public init(named name: String) throws(TestDeviceError) {
            guard let model = DeviceProfile.named(name) else {
                let names = Self.all.map(\.description).joined(separator: ", ")
                throw .unsupported("there is no device profile \(name); there are \(names)")
            }
            self.init(model: model)
        }

        init(model: DeviceProfile) { self.model = model }

        /// The name that `greenroom up --device` takes.
        public var description: String { model.name }
    }

    /// What lies over the screen and makes the app inactive.
    public enum Interruption: Hashable, Sendable, CaseIterable {
        /// A call that rings.
        case call
        /// A message.
        case sms
        /// A panel of the system.
        case alert

        var kind: InterruptionKind {
            switch self {
            case .call: .call
            case .sms: .sms
            case .alert: .alert
            }
        }
    }

    /// Something that follows real time, and not the device's clock.
    public enum RealTimeWait: Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// `Task.sleep`, or the clocks of the system.
        case taskSleep
        /// `DispatchQueue.asyncAfter`, or a timer of `DispatchSource`.
        case dispatchTimer
        /// `Timer`, which in a test's process never fires: nobody runs the main thread's run loop.
        case runLoopTimer

        /// What it is called in code.
        public var description: String {
            switch self {
            case .taskSleep: "Task.sleep"
            case .dispatchTimer: "DispatchQueue.asyncAfter"
            case .runLoopTimer: "Timer"
            }
        }
    }

    /// A line of the device's log.
    public struct LogEntry: Hashable, Sendable, CustomStringConvertible {
        /// Since the device was made.
        public let time: Duration
        /// The app's name; `nil` for what concerns the device.
        public let app: String?
        /// What happened, in the words of `greenroom log`, for example `suspended`.
        public let event: String
        /// Why, in a sentence.
        public let reason: String

        /// The line.
        public var description: String {
            "\(time.text)  \(app.map { "\($0) " } ?? "")\(event): \(reason)"
        }
    }

    /// What the system writes down when it ends an app, or an app fails (`docs/TERMINATION.md`).
    public struct Report: Hashable, Sendable, CustomStringConvertible {
        /// Since the device was made.
        public let time: Duration
        /// The app's name.
        public let app: String
        /// Who ended it, for example `SPRINGBOARD`.
        public let namespace: String
        /// Why, for example `0x8badf00d`.
        public let code: UInt64
        /// Why, in a sentence that says what to change.
        public let reason: String

        /// Name, code and sentence.
        public var description: String {
            "\(time.text)  \(app) \(namespace) 0x\(String(code, radix: 16)): \(reason)"
        }
    }
}

extension InstalledApp {
    /// What the system lets an app do.
    public enum State: Hashable, Sendable, CaseIterable {
        /// There is no process.
        case notRunning
        /// On the screen, without events: during launch, an interruption, a change.
        case inactive
        /// In front.
        case active
        /// Not on the screen, and running.
        case background
        /// Not on the screen, and frozen.
        case suspended

        init(_ state: LifecycleState) {
            self =
                switch state {
                case .notRunning: .notRunning
                case .inactive: .inactive
                case .active: .active
                case .background: .background
                case .suspended: .suspended
                }
        }
    }

    /// The delegate's methods that the system calls.
    public enum Callback: Hashable, Sendable, CaseIterable {
        /// `application(_:willFinishLaunchingWithOptions:)`
        case willFinishLaunching
        /// `application(_:didFinishLaunchingWithOptions:)`
        case didFinishLaunching
        /// `applicationDidBecomeActive(_:)`
        case didBecomeActive
        /// `applicationWillResignActive(_:)`
        case willResignActive
        /// `applicationDidEnterBackground(_:)`
        case didEnterBackground
        /// `applicationWillEnterForeground(_:)`
        case willEnterForeground
        /// `applicationWillTerminate(_:)`
        case willTerminate
        /// `application(_:open:options:)`
        case openURL
        /// `applicationDidReceiveMemoryWarning(_:)`
        case didReceiveMemoryWarning
        /// `application(_:performFetchWithCompletionHandler:)`
        case performFetch
        /// `application(_:handleEventsForBackgroundURLSession:completionHandler:)`
        case handleEventsForBackgroundURLSession
        /// A task of `BGTaskScheduler`.
        case launchBackgroundTask
        /// A service that is a program of its own has something for the app.
        case handleServiceEvents
        /// Something becomes of a scene: a method of its delegate.
        case scene

        init(_ kind: CallbackKind) {
            self =
                switch kind {
                case .willFinishLaunching: .willFinishLaunching
                case .didFinishLaunching: .didFinishLaunching
                case .didBecomeActive: .didBecomeActive
                case .willResignActive: .willResignActive
                case .didEnterBackground: .didEnterBackground
                case .willEnterForeground: .willEnterForeground
                case .willTerminate: .willTerminate
                case .openURL: .openURL
                case .didReceiveMemoryWarning: .didReceiveMemoryWarning
                case .performFetch: .performFetch
                case .handleEventsForBackgroundURLSession: .handleEventsForBackgroundURLSession
                case .launchBackgroundTask: .launchBackgroundTask
                case .handleServiceEvents: .handleServiceEvents
                case .scene: .scene
                }
        }

        var kind: CallbackKind {
            switch self {
            case .willFinishLaunching: .willFinishLaunching
            case .didFinishLaunching: .didFinishLaunching
            case .didBecomeActive: .didBecomeActive
            case .willResignActive: .willResignActive
            case .didEnterBackground: .didEnterBackground
            case .willEnterForeground: .willEnterForeground
            case .willTerminate: .willTerminate
            case .openURL: .openURL
            case .didReceiveMemoryWarning: .didReceiveMemoryWarning
            case .performFetch: .performFetch
            case .handleEventsForBackgroundURLSession: .handleEventsForBackgroundURLSession
            case .launchBackgroundTask: .launchBackgroundTask
            case .handleServiceEvents: .handleServiceEvents
            case .scene: .scene
            }
        }
    }

    /// What lets an app run in the background.
    public struct Assertion: Hashable, Sendable, CustomStringConvertible {
        /// The service, or `exemption`.
        public let name: String
        /// Why, in a sentence.
        public let reason: String

        /// Name and sentence.
        public var description: String { "\(name): \(reason)" }
    }
}

extension Duration {
    /// Seconds with three digits.
    var text: String {
        let (seconds, attoseconds) = components
        let milliseconds = String(attoseconds / 1_000_000_000_000_000)
        return "\(seconds)." + String(repeating: "0", count: max(0, 3 - milliseconds.count)) + milliseconds + " s"
    }

    init(_ span: Span) { self = .nanoseconds(span.nanoseconds) }

    var span: Span { Span(nanoseconds: SimulatedClock.nanoseconds(self)) }
}
