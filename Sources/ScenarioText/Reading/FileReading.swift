internal import Model

/// What reading one file has come to: mistakes are noted, and reading goes on with what is left.
struct FileReading {
    var findings = Findings()
    /// The scenario's apps, by name.
    var apps = Names("app", [])
    /// The background modes that apps may declare: Greenroom's, and those that the scenario's services guard.
    var modes = Names("background mode", BackgroundModes.knownKeys)

    /// A mapping's values by key.
    struct Fields {
        let place: Place
        var values: [String: Tree]

        subscript(_ key: String) -> Tree? { values[key] }
    }

    mutating func note(_ place: Place, _ mismatch: Mismatch) {
        findings.note(place, mismatch.problem, expected: mismatch.expected)
    }

    /// A mapping with these keys. An empty value is one without any.
    mutating func fields(_ tree: Tree, _ table: KeyTable) -> Fields? {
        guard let pairs = pairs(tree, of: "\(table.what): a mapping with the keys \(table.names.list)") else {
            return nil
        }
        var fields = Fields(place: tree.place, values: [:])
        for (key, place, value) in pairs {
            if table.names.all.contains(key) {
                fields.values[key] = value
            } else {
                var mismatch = table.names.mismatch(key)
                mismatch.problem += " in a \(table.what)"
                note(place, mismatch)
            }
        }
        for key in table.keys where key.isRequired && fields.values[key.name] == nil {
            findings.note(tree.place, "the \(table.what) has no `\(key.name)`", expected: "`\(key.name)`: \(key.value)")
        }
        return fields
    }

    /// A mapping whose keys are texts, in their order.
    mutating func pairs(_ tree: Tree, of what: String) -> [(key: String, place: Place, value: Tree)]? {
        guard !tree.isNothing else { return [] }
        guard case .mapping(let pairs, _) = tree else {
            findings.note(tree.place, "\(tree.kind) is no mapping", expected: what)
            return nil
        }
        var result: [(String, Place, Tree)] = []
        for (key, value) in pairs {
            if case .scalar(let text, let place) = key {
                result.append((text, place, value))
            } else {
                findings.note(key.place, "\(key.kind) is no key", expected: "a word")
            }
        }
        return result
    }

    mutating func list(_ tree: Tree?, of what: String) -> [Tree] {
        guard let tree, !tree.isNothing else { return [] }
        guard case .list(let trees, _) = tree else {
            findings.note(tree.place, "\(tree.kind) is no list", expected: "a list of \(what): [a, b] or lines with -")
            return []
        }
        return trees
    }

    /// A list, or the one value that it would hold.
    mutating func oneOrMore(_ tree: Tree?, of what: String) -> [Tree] {
        guard let tree else { return [] }
        guard case .list(let trees, _) = tree else { return [tree] }
        if trees.isEmpty { findings.note(tree.place, "the list is empty", expected: "\(what), or several") }
        return trees
    }

    mutating func text(_ tree: Tree?, of what: String) -> String? {
        guard let tree else { return nil }
        guard case .scalar(let text, _) = tree else {
            findings.note(tree.place, "\(tree.kind) is no text", expected: what)
            return nil
        }
        return text
    }

    /// A text that another reading makes something of.
    mutating func value<Value>(
        _ tree: Tree?, of what: String, _ read: (String) throws(Mismatch) -> Value
    ) -> Value? {
        // Nobody reads more mistakes than are told.
        guard !findings.isCut, let tree, let text = text(tree, of: what) else { return nil }
        do throws(Mismatch) {
            return try read(text)
        } catch {
            note(tree.place, error)
            return nil
        }
    }

    mutating func span(_ tree: Tree?) -> Span? {
        value(tree, of: Span.form) { text throws(Mismatch) in try Span(scenario: text) }
    }

    mutating func bytes(_ tree: Tree?) -> Int64? {
        value(tree, of: ByteCount.form) { text throws(Mismatch) in try ByteCount.read(text) }
    }

    mutating func number<Number: FixedWidthInteger>(
        _ tree: Tree?, in bounds: ClosedRange<Number>, as what: String
    ) -> Number? {
        value(tree, of: what) { text throws(Mismatch) in try wholeNumber(text, in: bounds, as: what) }
    }

    mutating func truth(_ tree: Tree?) -> Bool? {
        value(tree, of: "true or false") { text throws(Mismatch) in
            switch text {
            case "true": return true
            case "false": return false
            default: throw Mismatch(problem: "\(quoted(text)) is neither", expected: "true or false")
            }
        }
    }

    mutating func pick<Value>(
        _ tree: Tree?, _ values: [Value], _ names: Names, _ name: (Value) -> String
    ) -> Value? {
        value(tree, of: "\(names.what): \(names.list)") { text throws(Mismatch) in
            guard let value = values.first(where: { name($0) == text }) else { throw names.mismatch(text) }
            return value
        }
    }

    mutating func phrase<Value>(_ tree: Tree?, _ language: Language<Value>) -> Value? {
        let apps = self.apps
        return value(tree, of: language.what) { text throws(Mismatch) in try language.read(text, apps: apps) }
    }

    mutating func app(_ tree: Tree?) -> String? {
        let apps = self.apps
        return value(tree, of: "an app: \(apps.list)") { text throws(Mismatch) in
            guard apps.all.contains(text) else { throw apps.mismatch(text) }
            return text
        }
    }
}

extension Tree {
    /// `key:` with nothing after it.
    var isNothing: Bool {
        if case .scalar("", _) = self { true } else { false }
    }
}
