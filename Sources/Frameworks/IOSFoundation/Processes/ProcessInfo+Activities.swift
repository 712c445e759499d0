public import Foundation

extension ProcessInfo {
    /// What an activity is and what it needs.
    public struct ActivityOptions: OptionSet, Sendable {
        /// Apple's number.
        public let rawValue: UInt64

        /// Creates it of Apple's number.
        public init(rawValue: UInt64) { self.rawValue = rawValue }
        /// Idle display sleep disabled.
        public static let idleDisplaySleepDisabled = ActivityOptions(rawValue: 1 << 40)
        /// Idle system sleep disabled.
        public static let idleSystemSleepDisabled = ActivityOptions(rawValue: 1 << 20)
        /// Sudden termination disabled.
        public static let suddenTerminationDisabled = ActivityOptions(rawValue: 1 << 14)
        /// Automatic termination disabled.
        public static let automaticTerminationDisabled = ActivityOptions(rawValue: 1 << 15)
        /// User initiated.
        public static let userInitiated = ActivityOptions(rawValue: 0x00ff_ffff | 1 << 20)
        /// User initiated allowing idle system sleep.
        public static let userInitiatedAllowingIdleSystemSleep = ActivityOptions(rawValue: 0x00ef_ffff)
        /// Background.
        public static let background = ActivityOptions(rawValue: 0xff)
        /// Latency critical.
        public static let latencyCritical = ActivityOptions(rawValue: 0xff_0000_0000)
    }

    /// Says that something is going on. As on iOS it does not keep the app running: in the background use
    /// `UIApplication.beginBackgroundTask(withName:expirationHandler:)`.
    ///
    /// - Returns: for `endActivity(_:)`.
    public func beginActivity(options: ActivityOptions = [], reason: String) -> any NSObjectProtocol { NSObject() }

    /// Says that it is over.
    public func endActivity(_ activity: any NSObjectProtocol) {}

    /// Does something, and says so.
    public func performActivity(options: ActivityOptions = [], reason: String, using block: () -> Void) { block() }

    /// Whether an iOS app runs on a Mac. No.
    public var isiOSAppOnMac: Bool { false }
    /// Whether a Mac runs an app made for iOS. No.
    public var isMacCatalystApp: Bool { false }
}

extension Notification.Name {
    /// An extension's host is about to be no longer active. There are no extensions with an interface: never posted.
    public static let NSExtensionHostWillResignActive = Notification.Name("NSExtensionHostWillResignActiveNotification")
    /// An extension's host is active. Never posted.
    public static let NSExtensionHostDidBecomeActive = Notification.Name("NSExtensionHostDidBecomeActiveNotification")
    /// An extension's host is in the background. Never posted.
    public static let NSExtensionHostDidEnterBackground = Notification.Name(
        "NSExtensionHostDidEnterBackgroundNotification")
    /// An extension's host is about to come to the foreground. Never posted.
    public static let NSExtensionHostWillEnterForeground = Notification.Name(
        "NSExtensionHostWillEnterForegroundNotification")
}

/// Seconds since 2001 began.
public typealias CFAbsoluteTime = Double
/// Seconds.
public typealias CFTimeInterval = Double

/// Seconds since 2001 began.
public func CFAbsoluteTimeGetCurrent() -> Double { Date.timeIntervalSinceReferenceDate }

/// Nanoseconds in a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// Nanoseconds in a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// Nanoseconds in a microsecond.
public let NSEC_PER_USEC: UInt64 = 1_000
/// Microseconds in a second.
public let USEC_PER_SEC: UInt64 = 1_000_000
