/// Changes to a text that leave every line on its line: the compiler's messages name the user's lines.
struct Edits {
    private struct Edit {
        var range: Range<Int>
        var replacement: String
    }

    private var edits: [Edit] = []

    var isEmpty: Bool { edits.isEmpty }

    /// Replaces bytes. Line breaks among them follow the replacement.
    mutating func replace(_ range: Range<Int>, with replacement: String) {
        edits.append(Edit(range: range, replacement: replacement))
    }

    mutating func insert(_ text: String, at offset: Int) { replace(offset..<offset, with: text) }

    /// The text with all changes made. Of changes that overlap, the one that begins first is made, and of those that
    /// begin together the longest.
    func applied(to text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count + 1024)
        var position = 0
        // Sorting is not stable: what is inserted at one place keeps its order by its index.
        let sorted = edits.enumerated().sorted { left, right in
            let (a, b) = (left.element.range, right.element.range)
            if a.lowerBound != b.lowerBound { return a.lowerBound < b.lowerBound }
            if a.isEmpty != b.isEmpty { return a.isEmpty }
            if a.upperBound != b.upperBound { return a.upperBound > b.upperBound }
            return left.offset < right.offset
        }
        for (_, edit) in sorted where edit.range.lowerBound >= position {
            result.append(contentsOf: text[position..<edit.range.lowerBound])
            result.append(contentsOf: edit.replacement.utf8)
            result.append(contentsOf: text[edit.range].filter { $0 == UInt8(ascii: "\n") })
            position = edit.range.upperBound
        }
        result.append(contentsOf: text[position...])
        return result
    }
}
