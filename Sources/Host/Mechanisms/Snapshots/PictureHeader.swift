internal import Wire

/// What the beginning of a picture says of it; nothing else of it is ever looked at here.
package struct PictureHeader: Hashable {
    package enum Kind: String, CaseIterable { case png, svg }

    package let kind: Kind
    package let width: Int
    package let height: Int

    /// Pixels of an edge.
    static let longestEdge = 16_384

    /// `nil` where the bytes are no such picture, or one without a size.
    package init?(_ bytes: [UInt8], _ kind: Kind) {
        self.kind = kind
        guard let size = kind == .png ? Self.png(bytes) : Self.svg(bytes),
            (1...Self.longestEdge).contains(size.width), (1...Self.longestEdge).contains(size.height)
        else { return nil }
        (width, height) = size
    }

    private static func png(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        let start: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13] + Array("IHDR".utf8)
        // The shortest one has a header, a piece of data and an end.
        guard bytes.count >= 57, bytes.starts(with: start) else { return nil }
        func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        return (number(16), number(20))
    }

    /// The root element has to be `svg`, and to say how large it is.
    private static func svg(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var rest = text[...]
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
            let ends: [(String, String)] = [("<?", "?>"), ("<!--", "-->"), ("<!DOCTYPE", ">")]
            guard let end = ends.first(where: { rest.hasPrefix($0.0) })?.1 else { break }
            guard let found = rest.firstRange(of: end) else { return nil }
            rest = rest[found.upperBound...]
        }
        guard rest.hasPrefix("<svg"), let close = rest.firstIndex(of: ">"),
            rest.dropFirst(4).first.map({ $0.isWhitespace || $0 == ">" }) == true
        else { return nil }
        let tag = rest[..<close]
        if let width = attribute("width", tag).flatMap(pixels), let height = attribute("height", tag).flatMap(pixels) {
            return (width, height)
        }
        let box = attribute("viewBox", tag)?.split { $0 == " " || $0 == "," }.compactMap { pixels(String($0)) } ?? []
        return box.count == 4 ? (box[2], box[3]) : nil
    }

    private static func attribute(_ name: String, _ tag: Substring) -> String? {
        for quote in ["\"", "'"] {
            guard let start = tag.firstRange(of: " \(name)=\(quote)") else { continue }
            return String(tag[start.upperBound...].prefix { String($0) != quote })
        }
        return nil
    }

    /// `120`, `120.5`, `120px`; a share of something else is no size.
    private static func pixels(_ text: String) -> Int? {
        let number = text.hasSuffix("px") ? String(text.dropLast(2)) : text
        guard let value = Double(number), value.isFinite, abs(value) <= Double(longestEdge) else { return nil }
        return Int(value.rounded(.up))
    }
}
