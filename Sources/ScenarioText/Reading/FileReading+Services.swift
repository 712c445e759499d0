internal import Model
internal import Simulation

// The services of a scenario, and that what is said of services names one of them.
extension FileReading {
    private static let nameForm = "lower-case letters, digits and hyphens, at most 64"

    mutating func services(_ tree: Tree?) -> [ServiceScript] {
        guard let tree, let pairs = pairs(tree, of: "a mapping from names to services") else { return [] }
        if pairs.count > ServiceDeclaration.mostServices {
            findings.note(tree.place, "there are too many services", expected: "\(ServiceDeclaration.mostServices)")
        }
        return pairs.compactMap { name, place, value in
            let bytes = name.utf8
            let isName =
                !bytes.isEmpty && bytes.count <= ServiceDeclaration.longestName
                && bytes.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
            guard isName else {
                findings.note(place, "\(quoted(name)) cannot be a service's name", expected: Self.nameForm)
                return nil
            }
            return service(name, value)
        }
    }

    /// Accepts any valid word, because a service may guard a mode that Greenroom does not define.
    private mutating func mode(_ tree: Tree?) -> String? {
        let key = value(tree, of: "a background mode") { text throws(Mismatch) in
            guard BackgroundModes.isKey(text) else {
                throw Mismatch(
                    problem: "\(quoted(text)) cannot be a background mode",
                    expected: "a word of letters, digits, points and hyphens")
            }
            return text
        }
        if let key, !modes.all.contains(key) { modes = Names(modes.what, modes.all + [key]) }
        return key
    }

    private mutating func service(_ name: String, _ tree: Tree) -> ServiceScript {
        var script = ServiceScript(ServiceDeclaration(name: name))
        guard let fields = fields(tree, .service) else { return script }
        script.model = text(fields["runs"], of: "the name of a real service")
        if let key = mode(fields["mode"]) { script.declaration.mode = BackgroundModes(keys: [key]) }
        set(&script.declaration.worksInForeground, truth(fields["foreground"]))
        script.declaration.holds = parts(fields["holds"]).map { name, limit in
            ServiceDeclaration.Hold(name: name, sentence: "it uses \(name)", limit: limit > .zero ? limit : nil)
        }
        let activities = Names("activity", Purpose.ofServices.map(\.name))
        for (hold, activity) in ofHolds(fields["activities"], script, activities, Purpose.ofServices, \.name) {
            script.declaration.holds[hold].activity = activity
        }
        let priorities = Names("priority", AppPriority.allCases.map(\.name))
        for (hold, priority) in ofHolds(fields["priorities"], script, priorities, AppPriority.allCases, \.name) {
            script.declaration.holds[hold].priority = priority
        }
        set(&script.declaration.launchesAtBoot, truth(fields["launchesAtBoot"]))
        set(&script.declaration.relaunches, truth(fields["relaunches"]))
        script.declaration.windows = parts(fields["windows"]).map { name, time in
            ServiceDeclaration.Window(name: name, sentence: name, time: time)
        }
        set(&script.startup, span(fields["startup"]))
        set(&script.stopTime, span(fields["stopTime"]))
        set(&script.forgets, truth(fields["forgets"]))
        return script
    }

    /// A word for each of some holds.
    private mutating func ofHolds<Value>(
        _ tree: Tree?, _ script: ServiceScript, _ names: Names, _ values: [Value], _ name: (Value) -> String
    ) -> [(Int, Value)] {
        guard let tree, let pairs = pairs(tree, of: "a mapping from holds to words") else { return [] }
        return pairs.compactMap { hold, place, tree in
            guard let number = script.declaration.holds.firstIndex(where: { $0.name == hold }) else {
                note(place, Names("hold", script.declaration.holds.map(\.name)).mismatch(hold))
                return nil
            }
            guard let word = text(tree, of: names.what) else { return nil }
            guard let value = values.first(where: { name($0) == word }) else {
                note(tree.place, names.mismatch(word))
                return nil
            }
            return (number, value)
        }
    }

    private mutating func parts(_ tree: Tree?) -> [(String, Span)] {
        guard let tree, let pairs = pairs(tree, of: "a mapping from names to times") else { return [] }
        if pairs.count > ServiceDeclaration.mostKinds {
            findings.note(tree.place, "there are too many", expected: "at most \(ServiceDeclaration.mostKinds)")
        }
        return pairs.prefix(ServiceDeclaration.mostKinds).compactMap { name, _, value in
            span(value).map { (name, $0) }
        }
    }

    /// Who speaks of a service that there is not would wait for nothing.
    mutating func checkServices(_ scenario: Scenario, _ place: Place) {
        let known = Names("service", scenario.services.map(\.declaration.name))
        for name in scenario.serviceNames.sorted() where !known.all.contains(name) {
            note(place, known.mismatch(name))
        }
    }
}

extension Scenario {
    /// Of all services that somebody speaks of.
    fileprivate var serviceNames: Set<String> {
        var names: Set<String> = []
        for app in apps {
            for actions in Array(app.reactions.values) + Array(app.hears.values) + [app.expirations] {
                names.formUnion(actions.compactMap(\.serviceName))
            }
        }
        for step in steps {
            if let name = step.action.serviceName { names.insert(name) }
            if case .expect(.serviceAnswer(let name, _, _)) = step.action { names.insert(name) }
        }
        for case .serviceAnswer(let name, _, _) in expectations.map(\.value) { names.insert(name) }
        return names
    }
}
