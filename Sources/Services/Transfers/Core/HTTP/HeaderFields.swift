package import Model

/// What the Core reads of a response's fields. Everything is as bounded as the fields are: nothing here loops on a
/// server's numbers.
extension ResponseHead {
    /// The value of a field; `nil` if there is none, or several that differ.
    package func field(_ name: String) -> String? {
        var found: String?
        for header in response.headers where header.name.isEqualIgnoringCase(name) {
            let value = header.value.trimmed
            guard found == nil || found == value else { return nil }
            found = value
        }
        return found
    }

    package var contentLength: Int64? { field("Content-Length").flatMap(Int64.init(digits:)) }

    /// The body is stored as it comes: of what is coded, neither length nor ranges mean the thing itself.
    package var isCoded: Bool {
        guard let coding = field("Content-Encoding") else {
            return response.headers.contains { $0.name.isEqualIgnoringCase("Content-Encoding") }
        }
        return !coding.isEmpty && !coding.isEqualIgnoringCase("identity")
    }

    /// A strong entity tag (RFC 9110, section 8.8.3).
    package var strongTag: String? {
        guard let tag = field("ETag"), tag.utf8.count >= 2, tag.utf8.count <= 512, tag.hasPrefix("\""),
            tag.hasSuffix("\"")
        else { return nil }
        let inner = tag.utf8.dropFirst().dropLast()
        return inner.allSatisfy { $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 } ? tag : nil
    }

    /// What a later request can name to get the rest of the same thing, or nothing.
    package func validator(now: WallTime, rules: TransferRules) -> Validator? {
        guard !isCoded, field("Accept-Ranges").map({ !$0.isEqualIgnoringCase("none") }) ?? true else { return nil }
        if let tag = strongTag { return .etag(tag) }
        let seconds = now.nanoseconds / 1_000_000_000
        // A date is strong only where the server's own clock has left it behind (RFC 9110, section 8.8.2.2).
        guard let text = field("Last-Modified"), let modified = HTTPDate.seconds(text, now: seconds),
            let date = field("Date").flatMap({ HTTPDate.seconds($0, now: seconds) }),
            date - modified >= rules.youngestValidator.nanoseconds / 1_000_000_000
        else { return nil }
        return .lastModified(text)
    }

    /// False only if the response says that it is another thing.
    package func agrees(with validator: Validator) -> Bool {
        switch validator {
        case .etag(let tag): field("ETag").map { $0 == tag } ?? true
        case .lastModified(let text): field("Last-Modified").map { $0 == text } ?? true
        }
    }

    /// True only if the response says that it is the same thing.
    package func names(_ validator: Validator) -> Bool {
        switch validator {
        case .etag(let tag): field("ETag") == tag
        case .lastModified(let text): field("Last-Modified") == text
        }
    }

    /// `Content-Range: bytes START-END/TOTAL`, where TOTAL may be `*`.
    package var contentRange: ContentRange? {
        guard let text = field("Content-Range"), let rest = Self.afterUnit(text) else { return nil }
        let halves = rest.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let start = Int64(digits: String(ends[0])), let end = Int64(digits: String(ends[1])),
            start <= end
        else { return nil }
        if halves[1] == "*" { return ContentRange(start: start, end: end, total: nil) }
        guard let total = Int64(digits: String(halves[1])), end < total else { return nil }
        return ContentRange(start: start, end: end, total: total)
    }

    /// The length that a 416 names: `Content-Range: bytes */TOTAL`.
    package var unsatisfiedLength: Int64? {
        guard let text = field("Content-Range"), let rest = Self.afterUnit(text), rest.hasPrefix("*/") else {
            return nil
        }
        return Int64(digits: String(rest.dropFirst(2)))
    }

    private static func afterUnit(_ text: String) -> String? {
        let unit = text.prefix(6)
        return unit.lowercased() == "bytes " ? String(text.dropFirst(6)).trimmed : nil
    }

    /// How long the server asks to be left alone, in seconds or until a date.
    package func retryAfter(now: WallTime, rules: TransferRules) -> Span? {
        guard let text = field("Retry-After") else { return nil }
        let longest = rules.longestRetryAfter
        if let seconds = Int64(digits: text) {
            return seconds >= longest.nanoseconds / 1_000_000_000 ? longest : Span(nanoseconds: seconds * 1_000_000_000)
        }
        let present = now.nanoseconds / 1_000_000_000
        guard let date = HTTPDate.seconds(text, now: present) else { return nil }
        return min(longest, max(.zero, Span(nanoseconds: (date - present) * 1_000_000_000)))
    }

    /// A structured boolean, `?0` or `?1` (RFC 8941).
    package func boolean(_ name: String) -> Bool? {
        switch field(name) {
        case "?0": false
        case "?1": true
        default: nil
        }
    }

    /// `Upload-Offset`.
    package var uploadOffset: Int64? { field("Upload-Offset").flatMap(Int64.init(digits:)) }
}

extension Int64 {
    /// Digits and nothing else: no sign, no space, no overflow.
    init?(digits text: String) {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        self.init(text)
    }
}

extension String {
    func isEqualIgnoringCase(_ other: String) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowered == $1.lowered }
    }

    var trimmed: String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let first = utf8.first, let last = utf8.last, isBlank(first) || isBlank(last) else { return self }
        let start = utf8.drop(while: isBlank)
        return String(decoding: start.reversed().drop(while: isBlank).reversed(), as: UTF8.self)
    }
}

extension UInt8 {
    var lowered: UInt8 { (0x41...0x5A).contains(self) ? self + 0x20 : self }
}
