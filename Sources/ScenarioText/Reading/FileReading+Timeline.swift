internal import Model
internal import PolicyCore
internal import Simulation

extension FileReading {
    mutating func timeline(_ tree: Tree?) -> [Scenario.Step] {
        var steps: [Scenario.Step] = []
        var last: (at: Span, line: Int)?
        for tree in list(tree, of: "steps") {
            guard let fields = fields(tree, .step) else { continue }
            let at = span(fields["at"])
            if let at, let last, at < last.at {
                findings.note(
                    fields["at"]?.place ?? tree.place,
                    "\(at.text) comes before \(last.at.text) of line \(last.line)",
                    expected: "steps in the order of their moments")
            }
            if let at { last = (at, tree.place.line) }
            for (action, line) in actions(fields) {
                steps.append(Scenario.Step(at: at ?? .zero, action, line: line))
            }
        }
        return steps
    }

    private mutating func actions(_ fields: Fields) -> [(Scenario.Action, Int)] {
        let given = ["do", "fault", "expect"].filter { fields[$0] != nil }
        if given.count != 1 {
            let what = given.isEmpty ? "the step does nothing" : "the step has \(given.joined(separator: " and "))"
            findings.note(fields.place, what, expected: "one of do, fault and expect in each step")
        }
        let inputs = oneOrMore(fields["do"], of: "an input")
        let faults = oneOrMore(fields["fault"], of: "a fault")
        let expectations = oneOrMore(fields["expect"], of: "an expectation")
        return inputs.compactMap { tree in phrase(tree, .inputs).map { (.input($0), tree.place.line) } }
            + faults.compactMap { tree in phrase(tree, .faults).map { (.fault($0), tree.place.line) } }
            + expectations.compactMap { tree in expectation(tree).map { (.expect($0), tree.place.line) } }
    }

    mutating func expectations(_ tree: Tree?) -> [Placed<Expectation>] {
        list(tree, of: "expectations").compactMap { tree in
            expectation(tree).map { Placed($0, line: tree.place.line) }
        }
    }

    // MARK: Expectations

    private mutating func expectation(_ tree: Tree) -> Expectation? {
        guard case .mapping(let pairs, let place) = tree else { return phrase(tree, .expectations) }
        let keys = pairs.compactMap { pair in
            if case .scalar(let key, _) = pair.key { key } else { nil }
        }
        guard let form = keys.lazy.compactMap(ExpectationForm.named).first else {
            let names = Names("expectation", ExpectationForm.all.map(\.name))
            var mismatch = names.mismatch(keys.first ?? "")
            mismatch.expected = "a phrase such as `radio suspended`, or a mapping with \(names.list)"
            note(place, mismatch)
            return nil
        }
        guard let fields = fields(tree, form.keys) else { return nil }
        return expectation(form, fields)
    }

    /// Reads every field, so that each mistake is found; then there is a value, or there is not.
    private mutating func expectation(_ form: ExpectationForm, _ fields: Fields) -> Expectation? {
        switch form.name {
        case "order":
            let entries = list(fields["order"], of: "log entries")
            let patterns = entries.compactMap { pattern($0) }
            return patterns.count == entries.count ? .order(patterns) : nil
        case "never": return pattern(fields["never"]).map { .never($0) }
        case "count":
            let (entry, count) = (pattern(fields["count"]), count(fields["is"]))
            return entry.flatMap { entry in count.map { .count(entry, $0) } }
        case "from": return interval(fields)
        case "energy": return energy(fields)
        case "asked":
            let (service, question) = (text(fields["asked"], of: "a service"), text(fields["question"], of: "text"))
            let text = text(fields["says"], of: "text")
            guard let service, let question, let text else { return nil }
            return .serviceAnswer(service, question: question, text)
        default: return expectation(ofApp: form, fields)
        }
    }

    private mutating func interval(_ fields: Fields) -> Expectation? {
        let (from, to) = (pattern(fields["from"]), pattern(fields["to"]))
        let (atLeast, atMost) = (span(fields["atLeast"]) ?? .zero, span(fields["atMost"]))
        guard let from, let to, let atMost else { return nil }
        guard atLeast <= atMost else {
            findings.note(fields.place, "atLeast is more than atMost", expected: "a time that is possible")
            return nil
        }
        return .within(from, to, atLeast: atLeast, atMost: atMost)
    }

    private mutating func expectation(ofApp form: ExpectationForm, _ fields: Fields) -> Expectation? {
        let app = app(fields[form.name])
        let are = fields["are"]
        let value: ((String) -> Expectation)?
        switch form.name {
        case "callbacks":
            let kinds = all(are, of: "delegate methods") { $0.pick($1, CallbackKind.allCases, .callbacks, \.name) }
            value = kinds.map { kinds in { .callbacks($0, kinds) } }
        case "reports":
            let codes = all(are, of: "codes") { $0.number($1, in: 0...UInt64.max, as: "a report's code") }
            value = codes.map { codes in { .reports($0, codes) } }
        case "why":
            let events = all(fields["through"], of: "events") { $0.pick($1, LogEvent.allCases, .events, \.name) }
            value = events.map { events in { .why($0, events) } }
        case "assertions":
            let kinds = all(are, of: "assertions") { $0.pick($1, AssertionKind.allCases, .assertions, \.name) }
            value = kinds.map { kinds in { .assertions($0, kinds) } }
        case "report": value = text(fields["says"], of: "text").map { text in { .reportSays($0, text) } }
        case "request": value = text(fields["refused"], of: "text").map { text in { .requestRefused($0, text) } }
        case "expirations":
            let names = all(are, of: "names of tasks") { $0.text($1, of: "a task's name") }
            value = names.map { names in { .expirations($0, names) } }
        case "heard":
            let words = all(are, of: "texts") { $0.text($1, of: "what a service says") }
            value = words.map { words in { .heard($0, words) } }
        case "payload": value = text(fields["says"], of: "text").map { text in { .payload($0, text) } }
        case "changes":
            let kinds = all(are, of: "changes") { $0.pick($1, SystemChange.allCases, .changes, \.name) }
            value = kinds.map { kinds in { .changes($0, kinds) } }
        case "priority":
            let priority = fields["is"].flatMap { pick($0, AppPriority.allCases, .priorities, \.name) }
            value = priority.map { priority in { .priority($0, priority) } }
        case "snapshots": value = count(are).map { count in { .snapshots($0, count) } }
        case "launches": value = count(are).map { count in { .launches($0, count) } }
        case "launchOptions":
            let options = launchOptions(fields)
            value = { .launchOptions($0, options) }
        case "opened":
            let source = text(fields["source"], of: "an app's identifier")
            value = text(fields["url"], of: "a URL").map { url in { .opened($0, url: url, source: source) } }
        default: value = nil
        }
        return app.flatMap { app in value.map { $0(app) } }
    }

    private mutating func launchOptions(_ fields: Fields) -> LaunchOptions {
        let keys = oneOrMore(fields["service"], of: "a background mode").compactMap { tree in
            pick(tree, modes.all, modes) { $0 }
        }
        return LaunchOptions(
            url: text(fields["url"], of: "a URL"),
            sourceApplication: text(fields["source"], of: "an app's identifier"),
            service: BackgroundModes(keys: keys), notification: launchNotification(fields))
    }

    private mutating func launchNotification(_ fields: Fields) -> LaunchNotification? {
        let local = text(fields["localNotification"], of: "text").map { LaunchNotification.local(payload: $0) }
        let remote = text(fields["remoteNotification"], of: "text").map { LaunchNotification.remote(payload: $0) }
        if local != nil, let place = fields["remoteNotification"]?.place {
            findings.note(place, "an app is launched for one notification", expected: "one of both kinds")
        }
        let location = text(fields["location"], of: "text").map { LaunchNotification.location(payload: $0) }
        return local ?? remote ?? location
    }

    /// Every value of a list; `nil` where one is wrong, or there is no list.
    private mutating func all<Value>(
        _ tree: Tree?, of what: String, _ read: (inout Self, Tree) -> Value?
    ) -> [Value]? {
        guard let tree else { return nil }
        guard case .list(let trees, _) = tree else {
            _ = list(tree, of: what)
            if tree.isNothing { findings.note(tree.place, "there is no list", expected: "a list of \(what): [a, b]") }
            return nil
        }
        let values = trees.compactMap { read(&self, $0) }
        return values.count == trees.count ? values : nil
    }

    private mutating func count(_ tree: Tree?) -> Int? { number(tree, in: 0...1_000_000_000, as: "a count") }

    private mutating func pattern(_ tree: Tree?) -> LogPattern? {
        guard let tree, let pattern = phrase(tree, .patterns) else { return nil }
        // It would match nothing, and `never` would always hold.
        if pattern.app == nil, !pattern.event.isOfDevice {
            findings.note(
                tree.place, "\(pattern.event.name) is told of an app", expected: "`APP \(pattern.event.name)`")
            return nil
        }
        if pattern.app != nil, pattern.event.isOfDevice {
            findings.note(
                tree.place, "\(pattern.event.name) is told of the device, not of an app",
                expected: "`\(pattern.event.name)` alone, or with because \"…\"")
            return nil
        }
        return pattern
    }
}
