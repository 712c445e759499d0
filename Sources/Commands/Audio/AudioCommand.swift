package import ArgumentParser
internal import AudioModel
internal import AudioWire
internal import Wire

/// `greenroom audio`
package struct AudioVerb: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "audio",
        abstract: "Show who sounds; press the controls; choose route and volume; let an app use the microphone.",
        discussion: "The controls belong to the app that played last and obeys them; status marks it with *.",
        subcommands: [
            Status.self, Play.self, Pause.self, Toggle.self, Stop.self, Next.self, Previous.self,
            BeginSeekingForward.self, EndSeekingForward.self, BeginSeekingBackward.self, EndSeekingBackward.self,
            SkipForward.self, SkipBackward.self, Seek.self, Route.self, Ringer.self, Volume.self, Allow.self,
            Deny.self, Why.self,
        ], defaultSubcommand: Status.self)

    package init() {}

    package struct Status: Verb {
        package static let configuration = CommandConfiguration(abstract: "Show who sounds, and where.")

        @OptionGroup var format: JSONOption

        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            let answer = try context.ask(.audio, AudioToolMethod.status.rawValue)
            guard !format.json else { return context.print(json: answer) }
            let status = try record(answer, AudioStatusInfo.self)
            context.write(AudioVerb.rendered(status, context.style))
        }
    }

    static func rendered(_ status: AudioStatusInfo, _ style: Style) -> String {
        var text = ""
        if !status.engine {
            text += "The sound server (PipeWire) is not there: nothing sounds until it is.\n"
        } else if !status.sessionManager {
            text += "WirePlumber is not there: what begins to play sounds when it is.\n"
        }
        let outputs = status.ports.filter { !$0.kind.isInput }.map(\.name).joined(separator: ", ")
        let volume = Int((status.volume * 100).rounded())
        text += "Volume \(volume) %, ringer \(status.ringer ? "on" : "silent"), routes: "
        text += Visible.line(outputs.isEmpty ? "none" : outputs) + "\n"
        guard !status.players.isEmpty else { return text + "Nobody has used audio.\n" }
        var table = Table([("", .left), ("APP", .left), ("STATE", .left), ("CATEGORY", .left), ("PLAYS", .left)])
        for player in status.players {
            let playing = player.nowPlaying
            let track = [playing.title, playing.artist].compactMap(\.self).joined(separator: " – ")
            let plays = [track, playing.skips].filter { !$0.isEmpty }.joined(separator: " ")
            table.add([
                Table.Cell(player.target ? "*" : ""), Table.Cell(player.name), player.cell,
                Table.Cell(player.settings.category.rawValue), Table.Cell(plays),
            ])
        }
        return text + table.rendered(style)
    }
}

extension AudioPlayerInfo {
    fileprivate var cell: Table.Cell {
        if recording { return Table.Cell("records", .red) }
        if muted { return Table.Cell("muted", .dim) }
        if ducked { return Table.Cell("plays softly", .green) }
        if playing { return Table.Cell("plays", .green) }
        return Table.Cell(session == "interrupted" ? session : "silent", .dim)
    }
}

extension NowPlaying {
    /// What a control's buttons would show.
    fileprivate var skips: String {
        func words(_ sign: String, _ seconds: Double?) -> String? {
            Self.interval(seconds).map { $0 == $0.rounded() ? "\(sign)\(Int($0)) s" : "\(sign)\($0) s" }
        }
        let all = [words("-", skipBackward), words("+", skipForward)].compactMap(\.self)
        return all.isEmpty ? "" : "(\(all.joined(separator: ", ")))"
    }
}

// MARK: Controls

/// One of the controls' buttons.
protocol Button: Verb {
    static var command: AudioCommand { get }
    var format: JSONOption { get }
}

extension Button {
    func press(in context: CommandContext) throws(CommandFailure) {
        try context.order(.command, Self.command.json, format)
    }
}

extension AudioVerb {
    package struct Play: Button {
        package static let configuration = CommandConfiguration(abstract: "Let the last player play.")
        static let command = AudioCommand.play
        @OptionGroup var format: JSONOption
        package init() {}
        package func perform(in context: CommandContext) throws(CommandFailure) { try press(in: context) }
    }

    package struct Pause: Button {
        package static let configuration = CommandConfiguration(abstract: "Let it pause.")
        static let command = AudioCommand.pause
        @OptionGroup var format: JSONOption
        package init() {}
        package func perform(in context: CommandContext) throws(CommandFailure) { try press(in: context) }
    }

    package struct Toggle: Button {
        package static let configuration = CommandConfiguration(
            abstract: "Let it play or pause, as it does neither now.")
        static let command = AudioCommand.toggle
        @OptionGroup var format: JSONOption
        package init() {}
        package func perform(in context: CommandContext) throws(CommandFailure) { try press(in: context) }
    }

    package struct Stop: Button {
        package static let configuration = CommandConfiguration(abstract: "Let it stop.")
        static let command = AudioCommand.stop
        @OptionGroup var format: JSONOption
        package init() {}
        package func perform(in context: CommandContext) throws(CommandFailure) { try press(in: context) }
    }

    package struct Next: Button {
        package static let configuration = CommandConfiguration(abstract: "Let it play the next track.")
        static let command = AudioCommand.next
        @OptionGroup var format: JSONOption
        package init() {}
        package func perform(in context: CommandContext) throws(CommandFailure) { try press(in: context) }
    }

    package struct Previous: Button {
        package static let configuration = CommandConfiguration(abstract: "Let it play the previous track.")
        static let command = AudioCommand.previous
        @OptionGroup var format: JSONOption
        package init() {}
        package func perform(in context: CommandContext) throws(CommandFailure) { try press(in: context) }
    }
}

// MARK: Settings

extension AudioVerb {
    package struct Route: Verb {
        package static let configuration = CommandConfiguration(
            abstract: "Let everything sound there.", discussion: "greenroom audio status lists the routes.")
        @Argument(help: "The route's name, or its kind: speaker, headphones, bluetooth, …") var name: String
        @OptionGroup var format: JSONOption

        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            try context.order(.route, ["name": .string(name)], format)
        }
    }

    package struct Ringer: Verb {
        package static let configuration = CommandConfiguration(
            abstract: "Turn the ringer switch: silent, or on.",
            discussion: "Silent, apps of the categories ambient and soloAmbient are not heard.")
        @Argument(help: "silent or on.") var position: RingerPosition
        @OptionGroup var format: JSONOption

        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            try context.order(.ringer, ["silent": .bool(position == .silent)], format)
        }
    }

    package struct Volume: Verb {
        package static let configuration = CommandConfiguration(abstract: "Set the volume.")
        @Argument(help: "Percent, from 0 to 100.") var percent: Int
        @OptionGroup var format: JSONOption

        package init() {}

        package func validate() throws {
            guard (0...100).contains(percent) else { throw ValidationError("a volume is from 0 to 100") }
        }

        package func perform(in context: CommandContext) throws(CommandFailure) {
            try context.order(.volume, ["volume": .double(Double(percent) / 100)], format)
        }
    }

    package struct Allow: Verb {
        package static let configuration = CommandConfiguration(abstract: "Let an app use the microphone.")
        @OptionGroup var target: AppArgument
        @OptionGroup var format: JSONOption

        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            try context.permit(target.app, .granted, format)
        }
    }

    package struct Deny: Verb {
        package static let configuration = CommandConfiguration(abstract: "Keep an app from using the microphone.")
        @OptionGroup var target: AppArgument
        @OptionGroup var format: JSONOption

        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            try context.permit(target.app, .denied, format)
        }
    }

    package struct Why: Verb {
        package static let configuration = CommandConfiguration(abstract: "Say why an app sounds, or is silent.")
        @OptionGroup var target: AppArgument
        @OptionGroup var format: JSONOption

        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            let app = try context.notificationApp(target.app)
            let answer = try context.ask(.audio, AudioToolMethod.why.rawValue, ["app": .string(app)])
            guard !format.json else { return context.print(json: answer) }
            context.print(Visible.line(answer["sentence"]?.string ?? ""))
        }
    }
}

package enum RingerPosition: String, ExpressibleByArgument, CaseIterable { case silent, on }

extension CommandContext {
    /// Something that is answered when it is done.
    func order(_ method: AudioToolMethod, _ params: JSONValue, _ format: JSONOption) throws(CommandFailure) {
        // A press is one press.
        let isRepeatable = method != .command && method != .press
        let answer = try ask(.audio, method.rawValue, params, isRepeatable: isRepeatable)
        let status = try? AudioStatusAnswer(json: answer).status
        if format.json { print(json: answer) }
        guard let status, status != .success else { return }
        throw .failed(status.sentence)
    }

    fileprivate func permit(
        _ name: String, _ permission: AudioPermission, _ format: JSONOption
    ) throws(CommandFailure) {
        let app = try notificationApp(name)
        try order(.permission, AudioToolPermission(app: app, permission: permission).json, format)
    }
}

extension AudioCommandStatus {
    fileprivate var sentence: String {
        switch self {
        case .success: "done"
        case .noSuchContent: "the app has nothing of the kind to play"
        case .noActionableItem: "the app plays nothing that this could be done to"
        case .deviceNotFound: "the app is not there any more"
        case .failed: "the app did not do it"
        }
    }
}
