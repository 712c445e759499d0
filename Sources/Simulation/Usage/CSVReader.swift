/// A mistake in a file of comma-separated values, for whoever has to mend it.
package struct CSVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// From 1.
    package let line: Int
    package let expected: String
    /// What stands there, made printable and short.
    package let found: String

    package var description: String { "line \(line): expected \(expected), found \(found)" }
}

/// Reads rows of fields from bytes. Fields are plain: none of our files needs quotation marks, so they are refused.
struct CSVReader {
    private let bytes: ArraySlice<UInt8>
    private var offset: Int
    private(set) var line = 0
    /// Where the fields of the present row are.
    private var fields: [Range<Int>] = []

    /// Takes the header line, which has to be this one.
    init(_ bytes: [UInt8], header: String) throws(CSVError) {
        self.bytes = bytes[...]
        offset = bytes.startIndex
        guard try nextRow(), rowText == header else {
            throw CSVError(line: 1, expected: "the header \(header)", found: describe(fields.first.map { row($0) }))
        }
    }

    private var rowText: String? {
        guard let first = fields.first, let last = fields.last else { return nil }
        return String(validating: bytes[first.lowerBound..<last.upperBound], as: UTF8.self)
    }

    /// The field and what follows it in the row.
    private func row(_ first: Range<Int>) -> Range<Int> {
        first.lowerBound..<(fields.last?.upperBound ?? first.upperBound)
    }

    private func describe(_ range: Range<Int>?) -> String {
        guard let range else { return "the end of the file" }
        guard !range.isEmpty else { return "nothing" }
        let printable = bytes[range].prefix(40).map { (0x20..<0x7f).contains($0) ? $0 : UInt8(ascii: "?") }
        let text = String(decoding: printable, as: UTF8.self)
        return "'\(text)\(range.count > 40 ? "…" : "")'"
    }

    /// Goes to the next row; false at the end of the file. The last line may lack its end.
    mutating func nextRow() throws(CSVError) -> Bool {
        fields.removeAll(keepingCapacity: true)
        guard offset < bytes.endIndex else { return false }
        line += 1
        var start = offset
        while offset < bytes.endIndex, bytes[offset] != UInt8(ascii: "\n") {
            switch bytes[offset] {
            case UInt8(ascii: ","):
                fields.append(start..<offset)
                start = offset + 1
            case UInt8(ascii: "\""):
                throw CSVError(line: line, expected: "a field without quotation marks", found: "\"")
            default: break
            }
            offset += 1
        }
        var end = offset
        if end > start, offset < bytes.endIndex, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        fields.append(start..<end)
        offset += 1
        return true
    }

    func expectFields(_ count: Int) throws(CSVError) {
        guard fields.count != count else { return }
        throw CSVError(
            line: line, expected: "\(count) fields", found: "\(fields.count): \(describe(fields.first.map { row($0) }))"
        )
    }

    func fail(_ field: Int, _ expected: String) -> CSVError {
        CSVError(line: line, expected: expected, found: describe(fields[field]))
    }

    func isEmpty(_ field: Int) -> Bool { fields[field].isEmpty }

    func field(_ field: Int) -> ArraySlice<UInt8> { bytes[fields[field]] }

    /// A whole number within a range.
    func number(_ field: Int, _ range: ClosedRange<Int64>, _ what: String) throws(CSVError) -> Int64 {
        let digits = self.field(field)
        var value: Int64 = 0
        guard (1...15).contains(digits.count) else { throw fail(field, what) }
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { throw fail(field, what) }
            value = value * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        guard range.contains(value) else { throw fail(field, what) }
        return value
    }
}
