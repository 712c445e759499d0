internal import LinuxSystem

/// The text of a file in UTF-8, whatever it was written in.
enum TrackText {
    /// Bytes in which a declaration of XML is looked for.
    private static let longestDeclaration = 256

    static func utf8(_ bytes: [UInt8]) throws(TrackError) -> [UInt8] {
        let marks: [(bytes: [UInt8], encoding: String?)] = [
            ([0xFF, 0xFE, 0, 0], "UTF-32LE"), ([0, 0, 0xFE, 0xFF], "UTF-32BE"), ([0xFF, 0xFE], "UTF-16LE"),
            ([0xFE, 0xFF], "UTF-16BE"), ([0xEF, 0xBB, 0xBF], nil),
        ]
        if let mark = marks.first(where: { bytes.starts(with: $0.bytes) }) {
            let rest = Array(bytes.dropFirst(mark.bytes.count))
            return try mark.encoding.map { encoding throws(TrackError) in try utf8(rest, from: encoding) } ?? rest
        }
        let head = bytes.prefix(4).map { $0 == 0 }
        if head == [false, true, false, true] { return try utf8(bytes, from: "UTF-16LE") }
        if head == [true, false, true, false] { return try utf8(bytes, from: "UTF-16BE") }
        guard let name = declared(bytes), !["UTF-8", "UTF8", "UTF-16", "UTF-32"].contains(name) else { return bytes }
        return try utf8(bytes, from: name)
    }

    private static func utf8(_ bytes: [UInt8], from encoding: String) throws(TrackError) -> [UInt8] {
        guard let text = TextEncoding.utf8(bytes, from: encoding) else {
            throw TrackError(line: 1, "its encoding “\(encoding)” is not known here: save it as UTF-8")
        }
        return text
    }

    /// The encoding that an XML file says it has, in capitals.
    private static func declared(_ bytes: [UInt8]) -> String? {
        let head = String(decoding: bytes.prefix(longestDeclaration), as: UTF8.self).drop { $0.isWhitespace }
        guard head.hasPrefix("<?xml"), let end = head.firstRange(of: "?>"),
            let key = head[..<end.lowerBound].firstRange(of: "encoding")
        else { return nil }
        let value = head[key.upperBound..<end.lowerBound].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        return value.dropFirst().firstIndex(of: quote).map {
            value[value.index(after: value.startIndex)..<$0].uppercased()
        }
    }
}
