internal import Yams

/// A file as a tree of values with their places.
indirect enum Tree {
    case scalar(String, Place)
    case list([Tree], Place)
    case mapping([(key: Tree, value: Tree)], Place)

    var place: Place {
        switch self {
        case .scalar(_, let place), .list(_, let place), .mapping(_, let place): place
        }
    }

    var kind: String {
        switch self {
        case .scalar(let text, _): text.isEmpty ? "nothing" : "the text \(quoted(text))"
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }
}

extension Tree {
    /// Deeper than any scenario.
    private static let deepest = 24

    /// Texts are texts: no value is taken for a number or a truth before it is known what it should be.
    static func parse(_ text: String) throws(Findings) -> Tree {
        let root: Node?
        do {
            root = try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
        } catch {
            throw findings(error, text)
        }
        guard let root else {
            throw Findings(.start, "the file is empty", expected: "a scenario: a name, a device, apps, a timeline")
        }
        var findings = Findings()
        let tree = Tree(root, depth: 0, &findings)
        guard findings.errors.isEmpty else { throw findings }
        return tree
    }

    private init(_ node: Node, depth: Int, _ findings: inout Findings) {
        let place = node.mark.map { Place(line: $0.line, column: $0.column) } ?? .start
        let tag = node.tag.description
        if tag.hasPrefix("!") || (!tag.isEmpty && !Self.plainTags.contains(tag)) {
            findings.note(place, "a tag (\(quoted(tag)))", expected: "the value alone: tags are not read")
        }
        if depth > Self.deepest {
            findings.note(place, "too many levels", expected: "at most \(Self.deepest)")
            self = .scalar("", place)
            return
        }
        switch node {
        case .scalar(let scalar): self = .scalar(scalar.string, place)
        case .sequence(let nodes): self = .list(nodes.map { Tree($0, depth: depth + 1, &findings) }, place)
        case .mapping(let pairs):
            let all = pairs.map { pair in
                (Tree(pair.key, depth: depth + 1, &findings), Tree(pair.value, depth: depth + 1, &findings))
            }
            self = .mapping(all, place)
        case .alias: self = .scalar("", place)
        }
    }

    private static let plainTags: Set<String> = [
        "tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map", "?",
    ]

    private static func findings(_ error: any Error, _ text: String) -> Findings {
        let expected = "YAML; see docs/SCENARIOS.md"
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let since = context.map { ", \($0.text) at \($0.mark.line):\($0.mark.column)" } ?? ""
            return Findings(
                Place(line: mark.line, column: mark.column), "this cannot be read: \(problem)\(since)",
                expected: expected)
        case .reader(let problem, let offset, _, _):
            return Findings(place(of: offset ?? 0, in: text), "this cannot be read: \(problem)", expected: expected)
        case .duplicatedKeysInMapping(let keys, let context):
            let names = keys.map { quoted($0) }.joined(separator: ", ")
            return Findings(
                Place(line: context.mark.line, column: context.mark.column), "\(names) is there twice in one mapping",
                expected: "each key once")
        default: return Findings(.start, "this cannot be read: \(error)", expected: expected)
        }
    }

    private static func place(of offset: Int, in text: String) -> Place {
        var place = Place.start
        for character in text.prefix(offset) {
            place = character.isNewline ? Place(line: place.line + 1, column: 1) : place
            if !character.isNewline { place.column += 1 }
        }
        return place
    }
}
