internal import ArgumentParser
internal import AudioModel
internal import AudioWire
internal import Wire

struct SimulateHeadset: Verb {
    static let configuration = CommandConfiguration(
        commandName: "headset", abstract: "The headset's button is pressed, or the headset is plugged in or out.")

    enum Action: String, ExpressibleByArgument, CaseIterable { case press, plug, unplug }

    @Argument(help: "press, plug or unplug.") var action = Action.press
    @Option(help: "How often the button is pressed: 1 plays or pauses, 2 is next, 3 previous.") var times = 1
    @OptionGroup var format: JSONOption

    func validate() throws {
        guard (1...3).contains(times) else { throw ValidationError("--times is 1, 2 or 3") }
    }

    func perform(in context: CommandContext) throws(CommandFailure) {
        let kind: JSONValue = ["kind": .string(AudioPortKind.headphones.rawValue)]
        switch action {
        case .press: try context.order(.press, ["count": .int(Int64(times))], format)
        case .plug: try context.order(.plug, kind, format)
        case .unplug: try context.order(.unplug, kind, format)
        }
    }
}

struct SimulateRinger: Verb {
    static let configuration = CommandConfiguration(
        commandName: "ringer", abstract: "The ringer switch is turned: silent, or on.")

    @Argument(help: "silent or on.") var position: RingerPosition
    @OptionGroup var format: JSONOption

    func perform(in context: CommandContext) throws(CommandFailure) {
        try context.order(.ringer, ["silent": .bool(position == .silent)], format)
    }
}

struct SimulateInterruption: Verb {
    static let configuration = CommandConfiguration(
        commandName: "interruption", abstract: "Something interrupts all audio, as an alarm does; or is over.")

    enum Action: String, ExpressibleByArgument, CaseIterable { case begin, end }

    @Argument(help: "begin or end.") var action: Action
    @Flag(name: .customLong("no-resume"), help: "Those that were interrupted should not play on.") var stays = false
    @OptionGroup var format: JSONOption

    func perform(in context: CommandContext) throws(CommandFailure) {
        let interruption = AudioToolInterruption(begins: action == .begin, resumes: !stays)
        try context.order(.interruption, interruption.json, format)
    }
}

extension AudioPortKind: ExpressibleByArgument {}
