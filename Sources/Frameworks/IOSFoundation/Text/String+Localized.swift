public import Foundation

extension String {
    /// A text to be said in the user's language: the key, with values in it.
    public struct LocalizationValue: ExpressibleByStringInterpolation, Equatable, Sendable {
        let key: String
        let values: [String]

        /// Creates it of a literal.
        public init(stringLiteral value: String) { (key, values) = (value, []) }

        /// Creates a text of a key.
        public init(_ key: String) { self.init(stringLiteral: key) }

        /// Creates it of a literal with values.
        public init(stringInterpolation: StringInterpolation) {
            (key, values) = (stringInterpolation.key, stringInterpolation.values)
        }

        /// Puts a key together: a value becomes `%@`, or `%lld` of an integer, `%lf` of another number.
        public struct StringInterpolation: StringInterpolationProtocol {
            var key = ""
            var values: [String] = []

            /// Begins.
            public init(literalCapacity: Int, interpolationCount: Int) {}

            // As Xcode writes it into tables, where a key is a format.
            /// Appends text.
            public mutating func appendLiteral(_ literal: String) { key += literal.replacing("%", with: "%%") }

            /// Appends a value.
            public mutating func appendInterpolation<Value>(_ value: Value) {
                switch value {
                case is Int32, is Int16, is Int8: key += "%d"
                case is UInt32, is UInt16, is UInt8: key += "%u"
                case is UInt, is UInt64: key += "%llu"
                case is any BinaryInteger: key += "%lld"
                case is Float: key += "%f"
                case is any BinaryFloatingPoint: key += "%lf"
                default: key += "%@"
                }
                values.append("\(value)")
            }
        }

        /// The text of a table, with the values in their places.
        func text(in format: String) -> String {
            // Without values it is no format.
            guard !values.isEmpty else { return format }
            var result = ""
            var rest = format[...]
            var next = values[...]
            while let percent = rest.firstIndex(of: "%") {
                result += rest[..<percent]
                rest = rest[rest.index(after: percent)...]
                if rest.first == "%" {
                    result += "%"
                    rest = rest.dropFirst()
                    continue
                }
                let kinds = ["@", "lld", "ld", "d", "lf", "f", "llu", "lu", "u"]
                let place = rest.prefix { $0.isNumber }
                let hasPlace = !place.isEmpty && rest[place.endIndex...].first == "$"
                let body = hasPlace ? rest[place.endIndex...].dropFirst() : rest
                guard let kind = kinds.first(where: { body.hasPrefix($0) }) else {
                    result += "%"
                    continue
                }
                if hasPlace, let index = Int(place), values.indices.contains(index - 1) {
                    result += values[index - 1]
                } else {
                    result += next.popFirst() ?? ""
                }
                rest = body.dropFirst(kind.count)
            }
            return result + rest
        }
    }

    /// A text in the user's language, from a table of the bundle.
    ///
    /// - Parameters:
    ///   - key: of the table; also the text where the table does not have it.
    ///   - comment: for the translator; not used.
    public init(
        localized key: LocalizationValue, table: String? = nil, bundle: Bundle? = nil, locale: Locale = .current,
        comment: StaticString? = nil
    ) {
        let found = (bundle ?? .main).localizedString(forKey: key.key, value: key.key, table: table)
        self = key.text(in: found)
    }

    /// A text in the user's language, from a table of the bundle.
    ///
    /// - Parameters:
    ///   - key: of the table.
    ///   - defaultValue: the text where the table does not have it.
    ///   - comment: for the translator; not used.
    public init(
        localized key: StaticString, defaultValue: LocalizationValue, table: String? = nil, bundle: Bundle? = nil,
        locale: Locale = .current, comment: StaticString? = nil
    ) {
        let found = (bundle ?? .main).localizedString(forKey: key.description, value: defaultValue.key, table: table)
        self = defaultValue.text(in: found)
    }
}
