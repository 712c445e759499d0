/// Why some bytes are not JSON that we take.
package struct JSONError: Error, Hashable, CustomStringConvertible {
    package let reason: String
    /// Index of the byte at which reading stopped.
    package let offset: Int

    package var description: String { "\(reason) at byte \(offset)" }
}

/// What a document may cost whoever parses it.
package struct JSONLimits: Sendable {
    /// How deep arrays and objects may be nested.
    package var depth: Int
    /// How many values the document may hold: 1 MiB of `[0],` would otherwise become 25 MiB of arrays.
    package var values: Int
    /// Half a surrogate pair counts as U+FFFD: a text that was cut within a character.
    package var replacesHalfPairs = false

    package init(depth: Int = 64, values: Int) {
        self.depth = depth
        self.values = values
    }

    /// For what comes from a peer that is not trusted.
    package static let message = JSONLimits(values: 16_384)
    /// For tools, which read the daemon's own long answers.
    package static let answer = JSONLimits(values: 1_048_576)
}

extension JSONValue {
    /// Strict: no comments, no trailing commas, no lone surrogates unless `limits` say so, valid UTF-8. Of two members
    /// with one key the last wins; a number without fraction or exponent that fits is an integer, others are doubles.
    package init(parsing bytes: [UInt8], limits: JSONLimits = .message) throws(JSONError) {
        var parser = JSONParser(limits: limits)
        self = try parser.document(bytes.span)
    }

    package init(parsing text: String, limits: JSONLimits = .message) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }
}

/// Reads by recursive descent; the bytes are passed along because a span cannot be stored in an escapable value.
private struct JSONParser {
    private let limits: JSONLimits
    private var index = 0
    private var values = 0

    init(limits: JSONLimits) { self.limits = limits }

    mutating func document(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
        let result = try value(bytes, depth: 0)
        skipWhitespace(bytes)
        guard index == bytes.count else { throw failure("there is something after the value") }
        return result
    }

    private func failure(_ reason: String) -> JSONError { JSONError(reason: reason, offset: index) }

    private mutating func skipWhitespace(_ bytes: Span<UInt8>) {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x0A, 0x0D, 0x09: index += 1
            default: return
            }
        }
    }

    private mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSONValue {
        values += 1
        guard values <= limits.values else { throw failure("more than \(limits.values) values") }
        skipWhitespace(bytes)
        guard index < bytes.count else { throw failure("the text ends where a value is expected") }
        switch bytes[index] {
        case UInt8(ascii: "\""):
            index += 1
            return .string(try string(bytes))
        case UInt8(ascii: "{"):
            index += 1
            return .object(try object(bytes, depth: depth + 1))
        case UInt8(ascii: "["):
            index += 1
            return .array(try array(bytes, depth: depth + 1))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number(bytes)
        case UInt8(ascii: "t"): return try literal("true", .bool(true), bytes)
        case UInt8(ascii: "f"): return try literal("false", .bool(false), bytes)
        case UInt8(ascii: "n"): return try literal("null", .null, bytes)
        default: throw failure("no value can begin with this")
        }
    }

    private mutating func literal(
        _ text: StaticString, _ value: JSONValue, _ bytes: Span<UInt8>
    ) throws(JSONError) -> JSONValue {
        let count = text.utf8CodeUnitCount
        guard bytes.count - index >= count else { throw failure("the text ends within a word") }
        for offset in 0..<count where unsafe bytes[index + offset] != text.utf8Start[offset] {
            throw failure("\(text) is expected")
        }
        index += count
        return value
    }

    // MARK: Containers

    private mutating func array(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth <= limits.depth else { throw failure("nested deeper than \(limits.depth)") }
        var elements: [JSONValue] = []
        skipWhitespace(bytes)
        if take(UInt8(ascii: "]"), bytes) { return elements }
        while true {
            elements.append(try value(bytes, depth: depth))
            skipWhitespace(bytes)
            if take(UInt8(ascii: ","), bytes) { continue }
            guard take(UInt8(ascii: "]"), bytes) else { throw failure("a comma or ] is expected") }
            return elements
        }
    }

    private mutating func object(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSONObject {
        guard depth <= limits.depth else { throw failure("nested deeper than \(limits.depth)") }
        var members = UniqueMembers()
        skipWhitespace(bytes)
        if take(UInt8(ascii: "}"), bytes) { return JSONObject() }
        while true {
            skipWhitespace(bytes)
            guard take(UInt8(ascii: "\""), bytes) else { throw failure("a key in quotes is expected") }
            let key = try string(bytes)
            skipWhitespace(bytes)
            guard take(UInt8(ascii: ":"), bytes) else { throw failure("a colon is expected") }
            members.set(key, try value(bytes, depth: depth))
            skipWhitespace(bytes)
            if take(UInt8(ascii: ","), bytes) { continue }
            guard take(UInt8(ascii: "}"), bytes) else { throw failure("a comma or } is expected") }
            return JSONObject(distinct: members.members)
        }
    }

    private mutating func take(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    // MARK: Strings

    /// Reads on after the opening quote.
    private mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let start = index
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                let result = try text(bytes, start..<index)
                index += 1
                return result
            case UInt8(ascii: "\\"): return try escapedString(bytes, from: start)
            case 0..<0x20: throw failure("a control character in a string")
            default: index += 1
            }
        }
        throw failure("the text ends within a string")
    }

    private func text(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONError) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes.extracting(range)))
        } catch {
            throw JSONError(reason: "the string is not UTF-8", offset: range.lowerBound)
        }
    }

    private mutating func escapedString(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) -> String {
        var plain: [UInt8] = []
        for position in start..<index { plain.append(bytes[position]) }
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""):
                let result = try text(plain.span, 0..<plain.count)
                index += 1
                return result
            case UInt8(ascii: "\\"):
                index += 1
                try escape(bytes, into: &plain)
            case 0..<0x20: throw failure("a control character in a string")
            default:
                plain.append(byte)
                index += 1
            }
        }
        throw failure("the text ends within a string")
    }

    private mutating func escape(_ bytes: Span<UInt8>, into plain: inout [UInt8]) throws(JSONError) {
        guard index < bytes.count else { throw failure("the text ends within an escape") }
        let kind = bytes[index]
        index += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain.append(kind)
        case UInt8(ascii: "b"): plain.append(0x08)
        case UInt8(ascii: "f"): plain.append(0x0C)
        case UInt8(ascii: "n"): plain.append(0x0A)
        case UInt8(ascii: "r"): plain.append(0x0D)
        case UInt8(ascii: "t"): plain.append(0x09)
        case UInt8(ascii: "u"):
            let scalar = try escapedScalar(bytes)
            plain.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        default: throw failure("an unknown escape")
        }
    }

    private mutating func escapedScalar(_ bytes: Span<UInt8>) throws(JSONError) -> Unicode.Scalar {
        let code = try hexadecimal(bytes)
        if let scalar = Unicode.Scalar(code) { return scalar }
        let end = index
        if code < 0xDC00, take(UInt8(ascii: "\\"), bytes), take(UInt8(ascii: "u"), bytes) {
            let low = try hexadecimal(bytes)
            if (0xDC00..<0xE000).contains(low),
                let scalar = Unicode.Scalar(0x10000 + (code - 0xD800) << 10 + (low - 0xDC00))
            {
                return scalar
            }
        }
        guard limits.replacesHalfPairs else { throw failure("half a surrogate pair") }
        // What follows it stands for itself.
        index = end
        return "\u{FFFD}"
    }

    private mutating func hexadecimal(_ bytes: Span<UInt8>) throws(JSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard index < bytes.count else { throw failure("the text ends within an escape") }
            switch bytes[index] {
            case let digit where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit):
                code = code << 4 | UInt32(digit - UInt8(ascii: "0"))
            case let digit where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(digit):
                code = code << 4 | UInt32(digit - UInt8(ascii: "a") + 10)
            case let digit where (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(digit):
                code = code << 4 | UInt32(digit - UInt8(ascii: "A") + 10)
            default: throw failure("four hexadecimal digits are expected")
            }
            index += 1
        }
        return code
    }

    // MARK: Numbers

    private mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
        let start = index
        let isNegative = take(UInt8(ascii: "-"), bytes)
        let firstDigit = index
        var magnitude: UInt64 = 0
        var fits = true
        while let digit = digit(bytes) {
            let (product, carried) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, overflowed) = product.addingReportingOverflow(UInt64(digit))
            fits = fits && !carried && !overflowed
            magnitude = sum
            index += 1
        }
        guard index > firstDigit else { throw failure("a digit is expected") }
        guard bytes[firstDigit] != UInt8(ascii: "0") || index == firstDigit + 1 else {
            throw failure("a number cannot begin with 0")
        }
        let isInteger = try !skipFractionAndExponent(bytes)
        if isInteger, fits {
            if !isNegative, let value = Int64(exactly: magnitude) { return .int(value) }
            if isNegative, magnitude <= Int64.min.magnitude { return .int(Int64(truncatingIfNeeded: 0 &- magnitude)) }
        }
        guard let value = Double(try text(bytes, start..<index)), value.isFinite else {
            throw failure("a number that is too large")
        }
        return .double(value)
    }

    private func digit(_ bytes: Span<UInt8>) -> UInt8? {
        guard index < bytes.count else { return nil }
        let digit = bytes[index] &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }

    private mutating func skipFractionAndExponent(_ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        let start = index
        if take(UInt8(ascii: "."), bytes) { try skipDigits(bytes) }
        if take(UInt8(ascii: "e"), bytes) || take(UInt8(ascii: "E"), bytes) {
            if !take(UInt8(ascii: "+"), bytes) { _ = take(UInt8(ascii: "-"), bytes) }
            try skipDigits(bytes)
        }
        return index > start
    }

    private mutating func skipDigits(_ bytes: Span<UInt8>) throws(JSONError) {
        guard digit(bytes) != nil else { throw failure("a digit is expected") }
        while digit(bytes) != nil { index += 1 }
    }
}

/// Collects members; many keys are looked up in a table, so that a hostile object does not cost quadratic time.
private struct UniqueMembers {
    private(set) var members: [JSONObject.Member] = []
    private var positions: [String: Int] = [:]
    private static let scanned = 16

    mutating func set(_ key: String, _ value: JSONValue) {
        if let position = position(of: key) {
            members[position].value = value
            return
        }
        members.append(JSONObject.Member(key: key, value: value))
        if members.count > Self.scanned {
            if positions.isEmpty {
                for (position, member) in members.enumerated() { positions[member.key] = position }
            } else {
                positions[key] = members.count - 1
            }
        }
    }

    private func position(of key: String) -> Int? {
        if !positions.isEmpty { return positions[key] }
        return members.firstIndex { $0.key == key }
    }
}
