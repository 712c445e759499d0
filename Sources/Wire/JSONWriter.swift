extension JSONValue {
    /// The shortest JSON text, on one line. A double that is not finite is written as `null`: JSON has none.
    package var encoded: [UInt8] {
        var output: [UInt8] = []
        write(into: &output)
        return output
    }

    func write(into output: inout [UInt8]) {
        switch self {
        case .null: output.appendLiteral("null")
        case .bool(let value): output.appendLiteral(value ? "true" : "false")
        case .int(let value): output.appendDecimal(value)
        case .double(let value):
            if value.isFinite {
                output.append(contentsOf: value.description.utf8)
            } else {
                output.appendLiteral("null")
            }
        case .string(let value): output.appendQuoted(value)
        case .array(let values):
            output.append(UInt8(ascii: "["))
            var isFirst = true
            for value in values {
                if !isFirst { output.append(UInt8(ascii: ",")) }
                isFirst = false
                value.write(into: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let object):
            output.append(UInt8(ascii: "{"))
            var isFirst = true
            for member in object.members {
                if !isFirst { output.append(UInt8(ascii: ",")) }
                isFirst = false
                output.appendQuoted(member.key)
                output.append(UInt8(ascii: ":"))
                member.value.write(into: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }
}

extension JSONValue: CustomStringConvertible {
    package var description: String { String(decoding: encoded, as: UTF8.self) }
}

extension [UInt8] {
    mutating func appendLiteral(_ text: StaticString) {
        unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func appendDecimal(_ value: Int64) {
        // Callback numbers and results are mostly one digit.
        if (0..<10).contains(value) {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value))
        } else {
            append(contentsOf: value.description.utf8)
        }
    }

    mutating func appendQuoted(_ text: String) {
        append(UInt8(ascii: "\""))
        let bytes = text.utf8Span.span
        if Self.needsNoEscape(bytes) {
            append(contentsOf: text.utf8)
        } else {
            for index in bytes.indices { appendEscaped(bytes[index]) }
        }
        append(UInt8(ascii: "\""))
    }

    private static func needsNoEscape(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return false }
        }
        return true
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): appendLiteral("\\\"")
        case UInt8(ascii: "\\"): appendLiteral("\\\\")
        case 0x08: appendLiteral("\\b")
        case 0x09: appendLiteral("\\t")
        case 0x0A: appendLiteral("\\n")
        case 0x0C: appendLiteral("\\f")
        case 0x0D: appendLiteral("\\r")
        case 0..<0x20:
            appendLiteral("\\u00")
            append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
            let low = byte & 0xF
            append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
        default: append(byte)
        }
    }
}
