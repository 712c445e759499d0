package import AudioCore
internal import AudioModel
package import AudioWire
internal import Model
package import Wire

extension AudioRequest {
    /// What an app asks, as it says it.
    package init(_ method: AudioClientMethod, _ params: JSONValue) throws(RPCError) {
        switch method {
        case .hello:
            try params.checkVersion(audioProtocolVersion)
            self = .hello(AppHello(try AudioHello(json: params)))
        case .set: self = .set(try AudioSettings(json: params))
        case .activate: self = .activate
        case .deactivate: self = .deactivate(notifies: try params.bool("notifies", default: false))
        case .start:
            let stream = try AudioStreamRecord(json: params)
            self = .start(stream.stream, stream.direction)
        case .stop: self = .stop(try AudioStreamRecord(json: params).stream)
        case .remote:
            let remote = try AudioRemote(json: params)
            self = .remote(commands: Set(remote.commands), events: remote.events)
        case .nowPlaying: self = .nowPlaying(try NowPlaying(json: params))
        case .override: self = .override(toSpeaker: try params.bool("speaker"))
        case .requestPermission: self = .requestPermission
        }
    }
}

extension AppHello {
    fileprivate init(_ hello: AudioHello) {
        let streams = hello.streams.map { ($0.stream, $0.direction) }
        self.init(
            settings: hello.settings, isActive: hello.active, isInterrupted: hello.interrupted,
            streams: Dictionary(streams) { $1 }, commands: Set(hello.remote.commands),
            wantsEvents: hello.remote.events, nowPlaying: hello.nowPlaying, overridesToSpeaker: hello.speaker,
            running: Set(hello.running))
    }
}

extension AudioOrder {
    /// What a tool asks; `nil`: it asks for what changes nothing.
    package init?(_ method: AudioToolMethod, _ params: JSONValue) throws(RPCError) {
        switch method {
        case .hello, .status, .why: return nil
        case .command: self = .command(try AudioCommand(json: params))
        case .press:
            let count = try params.optionalInt("count") ?? 1
            guard (1...3).contains(count) else {
                throw .invalidParameter("count", "a headset's button is pressed once to three times")
            }
            self = .press(count)
        case .ringer: self = .ringer(isSilent: try params.bool("silent"))
        case .interruption:
            let interruption = try AudioToolInterruption(json: params)
            self = .interruption(isBegin: interruption.begins, resumes: interruption.resumes)
        case .plug: self = .plug(try params.word("kind"))
        case .unplug: self = .unplug(try params.word("kind"))
        case .route: self = .route(try params.string("name"))
        case .volume:
            let volume = try params.number("volume")
            guard (0...1).contains(volume) else { throw .invalidParameter("volume", "a volume is from 0 to 1") }
            self = .volume(volume)
        case .permission:
            let permission = try AudioToolPermission(json: params)
            guard let app = AppIdentifier(permission.app) else {
                throw .invalidParameter(
                    "app", "the parameter app must be 1 to 127 letters, digits, dots, hyphens and underscores")
            }
            self = .permission(app, permission.permission)
        }
    }
}

extension AudioReply {
    package var json: JSONValue {
        switch self {
        case .done: [:]
        case .hello(let surroundings): surroundings.json
        case .permission(let permission): ["permission": .string(permission.rawValue)]
        case .target(let name): ["target": .string(name)]
        case .status(let status): AudioStatusAnswer(status: status).json
        }
    }
}

extension RPCError {
    package init(_ refusal: AudioRefusal) {
        let sentence = refusal.sentence
        self =
            switch refusal {
            case .notGreeted: RPCError(.outOfOrder, sentence)
            case .invalid: .audio(.badParameter, sentence)
            case .insufficientPriority: .audio(.insufficientPriority, sentence)
            case .cannotInterruptOthers: .audio(.cannotInterruptOthers, sentence)
            case .cannotStartPlaying: .audio(.cannotStartPlaying, sentence)
            case .cannotStartRecording: .audio(.cannotStartRecording, sentence)
            case .noPermission: .audio(.cannotStartRecording, sentence)
            case .isBusy: .audio(.isBusy, sentence)
            case .noSuchStream, .tooManyStreams: .audio(.resourceNotAvailable, sentence)
            case .noPlayer, .playerDoesNot, .notWoken, .noSuchRoute, .noSuchApp, .nothingToEnd:
                RPCError(.refused, sentence)
            }
    }
}

extension AudioStatusInfo {
    package init(_ status: AudioStatus, sessionManager: Bool) {
        self.init(
            players: status.players.map(AudioPlayerInfo.init), ports: status.ports, ringer: !status.isSilent,
            volume: status.volume, engine: status.hasGraph, sessionManager: sessionManager)
    }
}

extension AudioPlayerInfo {
    fileprivate init(_ player: AudioStatus.Player) {
        var pid: Int?
        if case .outsider(let number) = player.id { pid = Int(number) }
        self.init(
            app: player.id.app?.rawValue, pid: pid, name: player.name, settings: player.settings,
            session: player.session, playing: player.isPlaying, recording: player.isRecording,
            ducked: player.isDucked, muted: player.isMuted, target: player.isTarget, nowPlaying: player.nowPlaying,
            route: player.route)
    }
}
