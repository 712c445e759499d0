internal import Foundation

/// Who may read a value in a log.
public struct OSLogPrivacy: Sendable {
    /// What stands in a private value's place.
    public struct Mask: Sendable {
        enum Kind { case none, hash }
        let kind: Kind
        /// Always the same for the same value.
        public static let hash = Mask(kind: .hash)
        /// The word `<private>`.
        public static let none = Mask(kind: .none)
    }

    enum Kind: Equatable { case shown, hidden, hashed }
    let kind: Kind

    /// All.
    public static let `public` = OSLogPrivacy(kind: .shown)
    /// Nobody.
    public static let `private` = OSLogPrivacy(kind: .hidden)
    /// Nobody.
    public static let sensitive = OSLogPrivacy(kind: .hidden)
    /// All. Apple's log hides strings from others than the developer; the log here is the developer's own.
    public static let auto = OSLogPrivacy(kind: .shown)

    /// Nobody; the mask stands in its place.
    public static func `private`(mask: Mask) -> OSLogPrivacy {
        OSLogPrivacy(kind: mask.kind == .hash ? .hashed : .hidden)
    }

    /// Nobody; the mask stands in its place.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { .private(mask: mask) }

    /// All; Apple hides strings.
    public static func auto(mask: Mask) -> OSLogPrivacy { .auto }

    func shown(_ text: @autoclosure () -> String) -> String {
        switch kind {
        case .shown: text()
        case .hidden: "<private>"
        case .hashed: "<mask.hash: '\(Self.digest(text()))'>"
        }
    }

    /// FNV-1a: the same in every process, so that lines can be brought together.
    private static func digest(_ text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}

/// How wide a value is.
public struct OSLogStringAlignment: Sendable {
    let width: (@Sendable () -> Int)?
    let isLeft: Bool

    /// As wide as it is.
    public static var none: OSLogStringAlignment { OSLogStringAlignment(width: nil, isLeft: true) }

    /// At least so many characters, the value at the right.
    public static func right(columns: @autoclosure @escaping @Sendable () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(width: columns, isLeft: false)
    }

    /// At least so many characters, the value at the left.
    public static func left(columns: @autoclosure @escaping @Sendable () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(width: columns, isLeft: true)
    }

    func aligned(_ text: String) -> String {
        guard let missing = width.map({ $0() - text.count }), missing > 0 else { return text }
        let spaces = String(repeating: " ", count: missing)
        return isLeft ? text + spaces : spaces + text
    }
}

/// How a floating-point number is written.
public struct OSLogFloatFormatting: Sendable {
    let format: String?

    /// As few digits as tell it.
    public static var fixed: OSLogFloatFormatting { OSLogFloatFormatting(format: "%f") }

    /// So many digits behind the point.
    public static func fixed(precision: Int) -> OSLogFloatFormatting {
        OSLogFloatFormatting(format: "%.\(max(precision, 0))f")
    }

    /// With an exponent.
    public static var exponential: OSLogFloatFormatting { OSLogFloatFormatting(format: "%e") }
}

/// How an integer is written.
public struct OSLogIntegerFormatting: Sendable {
    let radix: Int

    /// In base 10.
    public static var decimal: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 10) }
    /// In base 16.
    public static var hex: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 16) }
    /// In base 8.
    public static var octal: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 8) }
}

/// What a `Logger` writes: a literal with values in it.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
    let text: String

    /// Creates a message without values.
    public init(stringLiteral value: String) { text = value }

    /// Creates a message.
    public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    /// Puts a message together.
    public struct StringInterpolation: StringInterpolationProtocol {
        var text = ""

        /// Begins.
        public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity * 2) }

        /// Appends text.
        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// Appends a value.
        public mutating func appendInterpolation<Value>(
            _ value: @autoclosure () -> Value, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
        ) {
            text += align.aligned(privacy.shown("\(value())"))
        }

        /// Appends a value that may be missing.
        public mutating func appendInterpolation<Value>(
            _ value: @autoclosure () -> Value?, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
        ) {
            text += align.aligned(privacy.shown(value().map { "\($0)" } ?? "nil"))
        }

        /// Appends a floating-point number.
        public mutating func appendInterpolation<Value: BinaryFloatingPoint & CVarArg>(
            _ number: @autoclosure () -> Value, format: OSLogFloatFormatting,
            align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
        ) {
            let written = format.format.map { String(format: $0, number()) } ?? "\(number())"
            text += align.aligned(privacy.shown(written))
        }

        /// Appends an integer.
        public mutating func appendInterpolation<Value: FixedWidthInteger>(
            _ number: @autoclosure () -> Value, format: OSLogIntegerFormatting,
            align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
        ) {
            text += align.aligned(privacy.shown(String(number(), radix: format.radix)))
        }
    }
}
