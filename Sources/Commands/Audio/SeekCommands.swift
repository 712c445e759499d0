package import ArgumentParser
internal import AudioModel
internal import AudioWire

// A seek button is held down: the player plays fast until it is let go.
extension AudioVerb {
    package struct BeginSeekingForward: Button {
        package static let configuration = CommandConfiguration(
            commandName: "begin-seeking-forward", abstract: "Let it play forward fast, until end-seeking-forward.",
            aliases: ["beginSeekingForward"])
        static let command = AudioCommand.beginSeekingForward
        @OptionGroup var format: JSONOption
        package init() {}
        package func perform(in context: CommandContext) throws(CommandFailure) { try press(in: context) }
    }

    package struct EndSeekingForward: Button {
        package static let configuration = CommandConfiguration(
            commandName: "end-seeking-forward", abstract: "Let it play on after begin-seeking-forward.",
            aliases: ["endSeekingForward"])
        static let command = AudioCommand.endSeekingForward
        @OptionGroup var format: JSONOption
        package init() {}
        package func perform(in context: CommandContext) throws(CommandFailure) { try press(in: context) }
    }

    package struct BeginSeekingBackward: Button {
        package static let configuration = CommandConfiguration(
            commandName: "begin-seeking-backward", abstract: "Let it go back fast, until end-seeking-backward.",
            aliases: ["beginSeekingBackward"])
        static let command = AudioCommand.beginSeekingBackward
        @OptionGroup var format: JSONOption
        package init() {}
        package func perform(in context: CommandContext) throws(CommandFailure) { try press(in: context) }
    }

    package struct EndSeekingBackward: Button {
        package static let configuration = CommandConfiguration(
            commandName: "end-seeking-backward", abstract: "Let it play on after begin-seeking-backward.",
            aliases: ["endSeekingBackward"])
        static let command = AudioCommand.endSeekingBackward
        @OptionGroup var format: JSONOption
        package init() {}
        package func perform(in context: CommandContext) throws(CommandFailure) { try press(in: context) }
    }
}

// To somewhere else in what is played.
extension AudioVerb {
    package struct SkipForward: Verb {
        package static let configuration = CommandConfiguration(
            commandName: "skip-forward", abstract: "Let it skip so many seconds.", aliases: ["skipForward"])
        @Argument(help: "Seconds.") var seconds = 15.0
        @OptionGroup var format: JSONOption
        package init() {}
        package func validate() throws { try validate(seconds: seconds) }
        package func perform(in context: CommandContext) throws(CommandFailure) {
            try context.order(.command, AudioCommand.skipForward(seconds).json, format)
        }
    }

    package struct SkipBackward: Verb {
        package static let configuration = CommandConfiguration(
            commandName: "skip-backward", abstract: "Let it go back by so many seconds.", aliases: ["skipBackward"])
        @Argument(help: "Seconds.") var seconds = 15.0
        @OptionGroup var format: JSONOption
        package init() {}
        package func validate() throws { try validate(seconds: seconds) }
        package func perform(in context: CommandContext) throws(CommandFailure) {
            try context.order(.command, AudioCommand.skipBackward(seconds).json, format)
        }
    }

    package struct Seek: Verb {
        package static let configuration = CommandConfiguration(
            abstract: "Let it play on from so many seconds after the beginning.")
        @Argument(help: "Seconds.") var seconds: Double
        @OptionGroup var format: JSONOption
        package init() {}
        package func validate() throws { try validate(seconds: seconds) }
        package func perform(in context: CommandContext) throws(CommandFailure) {
            try context.order(.command, AudioCommand.seek(seconds).json, format)
        }
    }
}

extension Verb {
    fileprivate func validate(seconds: Double) throws {
        guard seconds.isFinite, seconds >= 0 else { throw ValidationError("seconds are a number from 0 on") }
    }
}
