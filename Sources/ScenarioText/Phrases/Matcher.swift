internal import Model
internal import PolicyCore
internal import Simulation

/// Holds a phrase's words against one form.
struct Matcher {
    var words: Words
    let apps: Names
    /// Of actions within actions.
    let depth: Int
    var arguments = Arguments()

    static let deepest = 16

    mutating func match(_ parts: [Part]) throws(Mismatch) {
        for part in parts {
            if part.isOptional, words.isAtEnd { break }
            try match(part)
        }
        if let word = words.first {
            throw Mismatch(problem: "\(quoted(word.text)) is too much", expected: "nothing more")
        }
    }

    private mutating func match(_ part: Part) throws(Mismatch) {
        guard let word = words.first else {
            throw Mismatch(problem: "the phrase ends too early", expected: Self.wanted(part))
        }
        switch part.kind {
        case .literal(let literal):
            guard word.text == literal, !word.isQuoted else {
                throw Mismatch(problem: "\(quoted(word.text)) is wrong here", expected: Self.wanted(part))
            }
            if literal == "off", part.isOptional { arguments.isOff = true }
        case .slot(.action):
            guard depth < Self.deepest else {
                throw Mismatch(problem: "too many actions within each other", expected: "at most \(Self.deepest)")
            }
            arguments.action = try Language.actions.read(&words, apps: apps, depth: depth + 1)
            words.next = words.all.count
            return
        case .slot(.text):
            guard word.isQuoted else {
                throw Mismatch(problem: "\(quoted(word.text)) is not in double quotes", expected: "a text: \"…\"")
            }
            arguments.text = word.text
        case .slot(let slot): try fill(slot, with: word.text)
        }
        words.next += 1
    }

    private static func wanted(_ part: Part) -> String {
        switch part.kind {
        case .literal(let literal): "`\(literal)`"
        case .slot(let slot): slot.rawValue
        }
    }

    private mutating func fill(_ slot: Slot, with word: String) throws(Mismatch) {
        switch slot {
        case .app:
            guard apps.all.contains(word) else { throw apps.mismatch(word) }
            arguments.app = word
        case .role: arguments.role = try pick(word, ScreenRole.allCases, .roles, \.name)
        case .url:
            // What follows a colon may combine with it to one character.
            guard let colon = word.unicodeScalars.firstIndex(of: ":"), colon != word.startIndex else {
                throw Mismatch(
                    problem: "\(quoted(word)) is not a URL", expected: "a scheme and a colon, as in notes://1")
            }
            arguments.url = word
        case .interruption:
            arguments.interruption = try pick(word, InterruptionKind.allCases, .interruptions, \.name)
        case .signal: arguments.signal = try Self.signal(word)
        case .status: arguments.status = try wholeNumber(word, in: 0...255, as: "an exit status")
        case .callback: arguments.callback = try pick(word, CallbackKind.allCases, .callbacks, \.name)
        case .time: arguments.time = try Span(scenario: word)
        case .count: arguments.count = try wholeNumber(word, in: 0...1_000_000, as: "a count")
        case .size: arguments.size = try ByteCount.read(word)
        case .file: arguments.file = word
        case .network: arguments.network = try pick(word, NetworkKind.allCases, .networks, \.name)
        case .charge: arguments.charge = try pick(word, BatteryReading.State.allCases, .charges, \.name)
        case .warmth: arguments.warmth = try pick(word, ThermalState.allCases, .warmths, \.name)
        case .orientation: arguments.orientation = try pick(word, Orientation.allCases, .orientations, \.name)
        case .key: arguments.key = word
        case .state: arguments.state = try pick(word, LifecycleState.allCases, .states, \.name)
        case .event: arguments.event = try pick(word, LogEvent.allCases, .events, \.name)
        case .window: arguments.window = try pick(word, WindowService.allCases, .windows, \.name)
        case .result: arguments.result = try pick(word, WindowResult.allCases, .results, \.name)
        case .task: arguments.task = try pick(word, BackgroundTaskRequest.Kind.allCases, .tasks, \.name)
        case .need: arguments.need = try pick(word, TaskNeed.allCases, .needs, \.rawValue)
        case .place: arguments.place = try pick(word, SceneState.allCases, .places, \.name)
        case .part: arguments.part = try Self.part(word)
        case .text, .action: return
        }
    }

    private func pick<Value>(
        _ word: String, _ values: [Value], _ names: Names, _ name: (Value) -> String
    ) throws(Mismatch) -> Value {
        guard let value = values.first(where: { name($0) == word }) else { throw names.mismatch(word) }
        return value
    }

    private static func part(_ word: String) throws(Mismatch) -> ServicePart {
        let parts = word.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw Mismatch(problem: "\(quoted(word)) names no part of a service", expected: "as in steps.counting")
        }
        return ServicePart(parts[0], parts[1])
    }

    private static func signal(_ word: String) throws(Mismatch) -> Int32 {
        if let number = Signal.number(word) { return number }
        if word.first?.isNumber == true { return try wholeNumber(word, in: 1...64, as: "a signal") }
        throw Names("signal", Signal.allNames).mismatch(word)
    }
}
