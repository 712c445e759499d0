/// A phrase's words: what stands between spaces, or between double quotes, where \" and \\ stand for themselves.
struct Words {
    struct Word: Hashable {
        var text: String
        var isQuoted = false
    }

    let all: [Word]
    var next = 0

    // Scalar by scalar: what follows a quote may combine with it to one character.
    init(_ phrase: String) throws(Mismatch) {
        var words: [Word] = []
        var rest = phrase.unicodeScalars[...]
        while let first = rest.first {
            if first.properties.isWhitespace {
                rest.removeFirst()
            } else if first == "\"" {
                words.append(Word(text: try Self.quotedText(&rest), isQuoted: true))
            } else {
                let word = rest.prefix { !$0.properties.isWhitespace }
                words.append(Word(text: String(word)))
                rest = rest.dropFirst(word.count)
            }
        }
        all = words
    }

    private static func quotedText(_ rest: inout Substring.UnicodeScalarView) throws(Mismatch) -> String {
        let start = String(rest)
        rest.removeFirst()
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar == "\"" {
                guard rest.first?.properties.isWhitespace ?? true else { break }
                return String(text)
            }
            guard scalar == "\\" else {
                text.append(scalar)
                continue
            }
            guard let escaped = rest.popFirst(), escaped == "\"" || escaped == "\\" else { break }
            text.append(escaped)
        }
        throw Mismatch(
            problem: "\(quoted(start)) is not a text in double quotes",
            expected: "\"…\", in which \\\" and \\\\ stand for a quote and a backslash")
    }

    var first: Word? { next < all.count ? all[next] : nil }
    var isAtEnd: Bool { next == all.count }

    /// A text as one word, quoted where it has to be.
    static func word(_ text: String) -> String {
        let needsQuotes = text.unicodeScalars.contains { $0.properties.isWhitespace }
        return text.isEmpty || needsQuotes || text.unicodeScalars.first == "\"" ? quote(text) : text
    }

    /// A text as one word of a phrase.
    static func quote(_ text: String) -> String {
        var quoted = "\"".unicodeScalars
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}
