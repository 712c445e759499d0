// As Apple's CoreMedia does: apps that import it use Foundation without importing it.
@_exported public import Foundation

/// A numerator of a time.
public typealias CMTimeValue = Int64
/// A denominator of a time: parts of a second.
public typealias CMTimeScale = Int32
/// Which timeline a time is of.
public typealias CMTimeEpoch = Int64

/// What a time is besides its number.
public struct CMTimeFlags: OptionSet, Hashable, Sendable {
    /// Apple's bits.
    public let rawValue: UInt32
    /// Creates flags of Apple's bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// It is a time.
    public static let valid = CMTimeFlags(rawValue: 1 << 0)
    /// Its number is not exact.
    public static let hasBeenRounded = CMTimeFlags(rawValue: 1 << 1)
    /// Later than any other.
    public static let positiveInfinity = CMTimeFlags(rawValue: 1 << 2)
    /// Earlier than any other.
    public static let negativeInfinity = CMTimeFlags(rawValue: 1 << 3)
    /// Not known, as the end of what happens now.
    public static let indefinite = CMTimeFlags(rawValue: 1 << 4)
    /// None of the numbers.
    public static let impliedValueFlagsMask: CMTimeFlags = [.positiveInfinity, .negativeInfinity, .indefinite]
}

/// A time as a fraction of seconds.
public struct CMTime: Sendable {
    /// The numerator.
    public var value: CMTimeValue
    /// The denominator.
    public var timescale: CMTimeScale
    /// What it is besides.
    public var flags: CMTimeFlags
    /// Which timeline it is of.
    public var epoch: CMTimeEpoch

    /// No time.
    public init() { self.init(value: 0, timescale: 0, flags: [], epoch: 0) }

    /// A time as it is in memory.
    public init(value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch) {
        (self.value, self.timescale, self.flags, self.epoch) = (value, timescale, flags, epoch)
    }

    /// A fraction of seconds; no time if the denominator is not above 0.
    public init(value: CMTimeValue, timescale: CMTimeScale) {
        self.init(value: value, timescale: timescale, flags: timescale > 0 ? .valid : [], epoch: 0)
    }

    /// Seconds as a fraction with a denominator.
    public init(seconds: Double, preferredTimescale: CMTimeScale) {
        guard preferredTimescale > 0, !seconds.isNaN else {
            self.init()
            return
        }
        let exact = seconds * Double(preferredTimescale)
        guard exact.isFinite, let value = CMTimeValue(exactly: exact.rounded()) else {
            self = seconds > 0 ? .positiveInfinity : .negativeInfinity
            return
        }
        let isExact = exact == exact.rounded()
        self.init(
            value: value, timescale: preferredTimescale, flags: isExact ? .valid : [.valid, .hasBeenRounded], epoch: 0)
    }

    /// 0.
    public static let zero = CMTime(value: 0, timescale: 1)
    /// No time.
    public static let invalid = CMTime()
    /// Not known.
    public static let indefinite = CMTime(value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
    /// Later than any other.
    public static let positiveInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
    /// Earlier than any other.
    public static let negativeInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)

    /// Whether it is a time.
    public var isValid: Bool { flags.contains(.valid) }
    /// Whether it is later or earlier than any other.
    public var isPositiveInfinity: Bool { isValid && flags.contains(.positiveInfinity) }
    /// Whether it is earlier than any other.
    public var isNegativeInfinity: Bool { isValid && flags.contains(.negativeInfinity) }
    /// Whether it is not known.
    public var isIndefinite: Bool { isValid && flags.contains(.indefinite) }
    /// Whether it is a number.
    public var isNumeric: Bool { isValid && flags.isDisjoint(with: .impliedValueFlagsMask) }
    /// Whether its number is not exact.
    public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }

    /// In seconds; not a number where it is none.
    public var seconds: Double {
        if isPositiveInfinity { return .infinity }
        if isNegativeInfinity { return -.infinity }
        return isNumeric ? Double(value) / Double(timescale) : .nan
    }

    /// With another denominator.
    public func convertScale(_ newTimescale: CMTimeScale, method: CMTimeRoundingMethod) -> CMTime {
        guard isNumeric, newTimescale > 0 else { return self }
        let exact = Double(value) * Double(newTimescale) / Double(timescale)
        let rounded =
            switch method {
            case .roundHalfAwayFromZero: exact.rounded()
            case .roundTowardZero: exact.rounded(.towardZero)
            case .roundAwayFromZero: exact.rounded(.awayFromZero)
            case .quickTime: exact.rounded()
            case .roundTowardPositiveInfinity: exact.rounded(.up)
            case .roundTowardNegativeInfinity: exact.rounded(.down)
            }
        guard let value = CMTimeValue(exactly: rounded) else {
            return exact > 0 ? .positiveInfinity : .negativeInfinity
        }
        return CMTime(
            value: value, timescale: newTimescale, flags: rounded == exact ? .valid : [.valid, .hasBeenRounded],
            epoch: 0)
    }
}

/// How a number becomes a whole one.
public enum CMTimeRoundingMethod: UInt32, Sendable {
    /// To the nearest, and a half away from 0.
    case roundHalfAwayFromZero = 1
    /// Towards 0.
    case roundTowardZero = 2
    /// Away from 0.
    case roundAwayFromZero = 3
    /// As QuickTime did.
    case quickTime = 4
    /// Upwards.
    case roundTowardPositiveInfinity = 5
    /// Downwards.
    case roundTowardNegativeInfinity = 6
    /// As usual.
    public static let `default` = CMTimeRoundingMethod.roundHalfAwayFromZero
}

extension CMTime: Comparable, Hashable {
    private var order: Double {
        isIndefinite ? .greatestFiniteMagnitude : isValid ? seconds : -.greatestFiniteMagnitude
    }

    /// Whether two are the same moment.
    public static func == (a: CMTime, b: CMTime) -> Bool {
        guard a.isNumeric, b.isNumeric else { return a.order == b.order && a.isValid == b.isValid }
        // Exactly, whatever the denominators.
        return a.value.multipliedFullWidth(by: Int64(b.timescale))
            == b.value.multipliedFullWidth(by: Int64(a.timescale))
    }
    /// Whether the first is earlier.
    public static func < (a: CMTime, b: CMTime) -> Bool { a != b && a.order < b.order }
    /// Equal for the same moment.
    public func hash(into hasher: inout Hasher) { hasher.combine(order) }
}

extension CMTime {
    /// The sum.
    public static func + (a: CMTime, b: CMTime) -> CMTime { combined(a, b) { $0.addingReportingOverflow($1) } }
    /// The difference.
    public static func - (a: CMTime, b: CMTime) -> CMTime { combined(a, b) { $0.subtractingReportingOverflow($1) } }
    /// Adds to it.
    public static func += (a: inout CMTime, b: CMTime) { a = a + b }
    /// Takes from it.
    public static func -= (a: inout CMTime, b: CMTime) { a = a - b }

    private static func combined(
        _ a: CMTime, _ b: CMTime, _ join: (Int64, Int64) -> (partialValue: Int64, overflow: Bool)
    ) -> CMTime {
        guard a.isValid, b.isValid else { return .invalid }
        guard a.isNumeric, b.isNumeric else { return a.isNumeric ? b : a }
        let scale =
            a.timescale == b.timescale
            ? a.timescale
            : max(a.timescale, b.timescale, 1_000_000) == 1_000_000
                ? 1_000_000 : max(a.timescale, b.timescale)
        let (first, second) = (a.convertScale(scale, method: .default), b.convertScale(scale, method: .default))
        guard first.isNumeric, second.isNumeric else { return .positiveInfinity }
        let (value, overflows) = join(first.value, second.value)
        return overflows ? .positiveInfinity : CMTime(value: value, timescale: scale)
    }
}

/// A fraction of seconds.
public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime { CMTime(value: value, timescale: timescale) }
/// Seconds as a fraction with a denominator.
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: Int32) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}
/// In seconds.
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }
/// The sum.
public func CMTimeAdd(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs + rhs }
/// The difference.
public func CMTimeSubtract(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs - rhs }
/// -1 if the first is earlier, 1 if it is later, 0 otherwise.
public func CMTimeCompare(_ time1: CMTime, _ time2: CMTime) -> Int32 { time1 == time2 ? 0 : time1 < time2 ? -1 : 1 }

/// From one time on, for another one.
public struct CMTimeRange: Hashable, Sendable {
    /// Where it begins.
    public var start: CMTime
    /// How long it is.
    public var duration: CMTime

    /// From one time on, for another one.
    public init(start: CMTime, duration: CMTime) { (self.start, self.duration) = (start, duration) }
    /// From one time to another one.
    public init(start: CMTime, end: CMTime) { self.init(start: start, duration: end - start) }

    /// Where it ends.
    public var end: CMTime { start + duration }
    /// Whether a time is in it.
    public func containsTime(_ time: CMTime) -> Bool { time >= start && time < end }
    /// Nothing.
    public static let zero = CMTimeRange(start: .zero, duration: .zero)
    /// No range.
    public static let invalid = CMTimeRange(start: .invalid, duration: .invalid)
}
