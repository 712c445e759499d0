internal import Foundation
internal import Logging
internal import Synchronization

/// How much a message matters.
public struct OSLogType: Equatable, Sendable, RawRepresentable {
    /// Apple's number.
    public let rawValue: UInt8

    /// Creates it of Apple's number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// As the log sees fit.
    public static let `default` = OSLogType(rawValue: 0x00)
    /// What helps to understand, not needed otherwise.
    public static let info = OSLogType(rawValue: 0x01)
    /// What helps while developing.
    public static let debug = OSLogType(rawValue: 0x02)
    /// Something failed.
    public static let error = OSLogType(rawValue: 0x10)
    /// There is a bug.
    public static let fault = OSLogType(rawValue: 0x11)

    var level: Logging.Logger.Level {
        switch self {
        case .debug: .debug
        case .info: .info
        case .error: .error
        case .fault: .critical
        default: .notice
        }
    }
}

/// Where messages go: swift-log, under the label `SUBSYSTEM/CATEGORY`. Use it on any thread.
public final class OSLog: Sendable {
    /// What a log is for beside messages.
    public struct Category: Sendable {
        let name: String
        /// Moments of interest.
        public static let pointsOfInterest = Category(name: "PointsOfInterest")
        /// Signposts that are on only while somebody looks.
        public static let dynamicTracing = Category(name: "DynamicTracing")
    }

    /// The log of those that have none of their own.
    public static let `default` = OSLog(label: ProcessInfo.processInfo.processName, isOn: true)
    /// Keeps nothing.
    public static let disabled = OSLog(label: "", isOn: false)

    private let logger: Logging.Logger
    private let isOn: Bool

    private init(label: String, isOn: Bool) {
        logger = Logging.Logger(label: label)
        self.isOn = isOn
    }

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - subsystem: for example the app's identifier.
    ///   - category: what part of it.
    public convenience init(subsystem: String, category: String) {
        self.init(label: category.isEmpty ? subsystem : "\(subsystem)/\(category)", isOn: true)
    }

    /// Creates a log.
    public convenience init(subsystem: String, category: Category) {
        self.init(subsystem: subsystem, category: category.name)
    }

    /// Whether messages of a type are kept.
    public func isEnabled(type: OSLogType) -> Bool { isOn && logger.logLevel <= type.level }

    /// Whether signposts are kept.
    public var signpostsEnabled: Bool { isEnabled(type: .debug) }

    func write(_ level: Logging.Logger.Level, _ text: @autoclosure () -> String) {
        guard isOn else { return }
        logger.log(level: level, "\(text())")
    }
}
