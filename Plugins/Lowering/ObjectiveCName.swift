/// The name that Objective-C gives a method: `handle(_:for:)` is `handle:for:`, and `go(to:)` is `goTo:`.
func objectiveCName(_ name: String, labels: [String]) -> String {
    guard let first = labels.first else { return name }
    var result = name
    if first != "_" {
        let prepositions: Set = [
            "about", "above", "after", "along", "alongside", "as", "at", "before", "below", "by", "following", "for",
            "from", "given", "in", "including", "inside", "into", "matching", "of", "on", "passing", "preceding",
            "since", "to", "until", "using", "via", "when", "with", "within",
        ]
        let word = first.prefix { !$0.isUppercase }
        // As the compiler does it: a label that begins with a preposition needs no "With" before it.
        let joined = first.prefix(1).uppercased() + first.dropFirst()
        result += prepositions.contains(String(word)) ? joined : "With" + joined
    }
    return result + ":" + labels.dropFirst().map { ($0 == "_" ? "" : $0) + ":" }.joined()
}
