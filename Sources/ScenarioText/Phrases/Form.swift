internal import Model
internal import PolicyCore
internal import Simulation

/// One form of a phrase: lower-case words stand for themselves, capitals for what is to be filled in, and what stands
/// in brackets may be left out.
package struct Form<Value>: Sendable {
    package let text: String
    /// For `docs/SCENARIOS.md`: an example that is read by a test, and what it means.
    package let example: String
    package let meaning: String
    let parts: [Part]
    let make: @Sendable (Arguments) -> Value

    init(_ text: String, _ example: String, _ meaning: String, _ make: @escaping @Sendable (Arguments) -> Value) {
        self.text = text
        self.example = example
        self.meaning = meaning
        self.make = make
        parts = Part.parts(text)
    }
}

/// What a form asks for, word by word.
struct Part: Hashable, Sendable {
    var kind: Kind
    var isOptional = false

    enum Kind: Hashable, Sendable {
        case literal(String)
        case slot(Slot)
    }

    static func parts(_ text: String) -> [Part] {
        var isOptional = false
        return text.split(separator: " ").map { word in
            if word.hasPrefix("[") { isOptional = true }
            let ends = word.hasSuffix("]")
            let name = word.drop { $0 == "[" }.prefix { $0 != "]" }
            defer { if ends { isOptional = false } }
            let slot = Slot(rawValue: String(name))
            return Part(kind: slot.map { .slot($0) } ?? .literal(String(name)), isOptional: isOptional)
        }
    }
}

/// What is to be filled in.
package enum Slot: String, Hashable, Sendable, CaseIterable {
    case app = "APP"
    case role = "ROLE"
    case url = "URL"
    case interruption = "INTERRUPTION"
    case signal = "SIGNAL"
    case status = "STATUS"
    case callback = "CALLBACK"
    case time = "TIME"
    case count = "COUNT"
    case size = "SIZE"
    case file = "FILE"
    case text = "TEXT"
    case network = "NETWORK"
    case charge = "CHARGE"
    case warmth = "WARMTH"
    case orientation = "ORIENTATION"
    case key = "KEY"
    case state = "STATE"
    case event = "EVENT"
    case action = "ACTION"
    case window = "WINDOW"
    case result = "RESULT"
    case task = "TASK"
    case need = "NEED"
    case part = "PART"
    case place = "PLACE"

    /// For `docs/SCENARIOS.md`.
    package var meaning: String {
        switch self {
        case .app: "an app of the scenario, by its key below `apps`"
        case .role: Names.roles.list
        case .url: "a URL, with its scheme and a colon"
        case .interruption: Names.interruptions.list
        case .signal: "a signal by name (`SIGSEGV`) or number"
        case .status: "an exit status from 0 to 255"
        case .callback: Names.callbacks.list
        case .time:
            "one or more numbers with units `d`, `h`, `m`, `s`, `ms`, `us`, `ns`: `0s`, `1.5s`, `200ms`, `1h30m`"
        case .count: "a whole number"
        case .size: "bytes, or a number with `B`, `kB`, `MB`, `GB`, `KiB`, `MiB`, `GiB`"
        case .file: "a file, by any name; one that begins with `~` is in the app's own container"
        case .text: "words in double quotes"
        case .network: Names.networks.list
        case .charge: Names.charges.list
        case .warmth: Names.warmths.list
        case .orientation: Names.orientations.list
        case .key: "the name of one of an app's settings"
        case .state: Names.states.list
        case .event: Names.events.list
        case .action: "what an app does by itself, see there"
        case .window: Names.windows.list
        case .result: Names.results.list
        case .task: Names.tasks.list
        case .need: Names.needs.list
        case .place: Names.places.list
        case .part: "a service of the scenario and one of its holds or windows: `steps.counting`"
        }
    }
}

/// What was filled in; a form reads only what it asks for.
package struct Arguments: Sendable {
    var app = ""
    var role: ScreenRole?
    var url = ""
    var interruption = InterruptionKind.alert
    var signal: Int32?
    var status: Int32 = 0
    var callback: CallbackKind?
    var time = Span.zero
    var count: Int32 = 0
    var size: Int64 = 0
    var file = ""
    var network = NetworkKind.none
    var charge: BatteryReading.State?
    var warmth = ThermalState.nominal
    var orientation = Orientation.unknown
    var key = ""
    var text: String?
    var state = LifecycleState.notRunning
    var event = LogEvent.launched
    var action = AppAction.exit(0)
    var window = WindowService.fetch
    var result = WindowResult.done
    var task = BackgroundTaskRequest.Kind.refresh
    var need = TaskNeed.network
    var part = ServicePart("", "")
    var place = SceneState.unattached

    /// What was counted, as a scene.
    var scene: SceneNumber { SceneNumber(UInt32(clamping: count)) }
    /// The last word is the literal `off`, where that may be left out.
    var isOff = false
}

/// Everything that may be said in one place.
package struct Language<Value>: Sendable {
    /// What one such phrase is, for the user.
    let what: String
    package let forms: [Form<Value>]

    func read(_ phrase: String, apps: Names) throws(Mismatch) -> Value {
        var words = try Words(phrase)
        return try read(&words, apps: apps, depth: 0)
    }

    func read(_ words: inout Words, apps: Names, depth: Int) throws(Mismatch) -> Value {
        var best: (at: Int, mismatch: Mismatch, forms: [String])?
        for form in forms {
            var matcher = Matcher(words: words, apps: apps, depth: depth)
            do throws(Mismatch) {
                try matcher.match(form.parts)
                return form.make(matcher.arguments)
            } catch {
                let at = matcher.words.next
                if let known = best, at == known.at {
                    best?.forms.append(form.text)
                } else if at > best?.at ?? -1 {
                    best = (at, error, [form.text])
                }
            }
        }
        guard let best else { throw Mismatch(problem: "\(what) can say nothing", expected: "nothing") }
        throw explain(best, words, apps)
    }

    /// The forms that came furthest tell what they want there.
    private func explain(_ best: (at: Int, mismatch: Mismatch, forms: [String]), _ words: Words, _ apps: Names)
        -> Mismatch
    {
        guard best.at == words.next else {
            let wants = best.mismatch.expected
            let forms = best.forms.map { "`\($0)`" }.joined(separator: " or ")
            return Mismatch(problem: best.mismatch.problem, expected: "\(wants) in \(forms)")
        }
        guard let word = words.first else { return Mismatch(problem: "\(what) is missing", expected: all) }
        let starts = forms.compactMap { $0.text.split(separator: " ").first.map(String.init) }
        guard starts.contains(Slot.app.rawValue) else {
            let near = Names(what, starts.filter { Slot(rawValue: $0) == nil }).nearest(to: word.text)
            let meant = near.map { " (did you mean \($0)?)" } ?? ""
            return Mismatch(problem: "\(quoted(word.text)) begins no \(what)\(meant)", expected: all)
        }
        let names = Names(what, apps.all + starts.filter { Slot(rawValue: $0) == nil })
        let meant = names.nearest(to: word.text).map { " (did you mean \($0)?)" } ?? ""
        return Mismatch(
            problem: "\(quoted(word.text)) is no app and begins no \(what)\(meant)",
            expected: "\(all) with \(apps.list)")
    }

    private var all: String { "one of " + forms.map { "`\($0.text)`" }.joined(separator: ", ") }
}
