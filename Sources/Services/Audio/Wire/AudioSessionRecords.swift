package import AudioModel
package import Wire

extension AudioSettings: WireRecord {
    package init(json: JSONValue) throws(RPCError) {
        let options = try json.optionalInteger("options") ?? 0
        guard let options = UInt32(exactly: options) else {
            throw .invalidParameter("options", "options are a sum of Apple's numbers")
        }
        self.init(
            try json.word("category"), mode: try json.optionalWord("mode") ?? .default,
            options: AudioOptions(rawValue: options))
    }

    package var json: JSONValue {
        [
            "category": .string(category.rawValue), "mode": .string(mode.rawValue),
            "options": .int(Int64(options.rawValue)),
        ]
    }
}

extension AudioPort: WireRecord {
    package init(json: JSONValue) throws(RPCError) {
        self.init(try json.word("kind"), name: try json.string("name"))
    }

    package var json: JSONValue { ["kind": .string(kind.rawValue), "name": .string(name)] }
}

extension AudioSurroundings: WireRecord {
    package init(json: JSONValue) throws(RPCError) {
        self.init(
            route: try json.records("route"), volume: try json.number("volume"),
            otherAudioPlays: try json.bool("otherAudioPlays"), shouldBeSilent: try json.bool("shouldBeSilent"),
            permission: try json.word("permission"))
    }

    package var json: JSONValue {
        [
            "route": .array(route.map(\.json)), "volume": .double(volume), "otherAudioPlays": .bool(otherAudioPlays),
            "shouldBeSilent": .bool(shouldBeSilent), "permission": .string(permission.rawValue),
        ]
    }
}

/// The parameters of an app's `hello`: how its side stands, for a service that may be a new one.
package struct AudioHello: WireRecord {
    package var settings: AudioSettings
    package var active: Bool
    package var interrupted: Bool
    package var speaker: Bool
    package var streams: [AudioStreamRecord]
    package var remote: AudioRemote
    package var nowPlaying: NowPlaying
    /// The numbers of what it deals with.
    package var running: [Int64]

    package init(
        settings: AudioSettings, active: Bool, interrupted: Bool, speaker: Bool, streams: [AudioStreamRecord],
        remote: AudioRemote, nowPlaying: NowPlaying, running: [Int64]
    ) {
        self.settings = settings
        self.active = active
        self.interrupted = interrupted
        self.speaker = speaker
        self.streams = streams
        self.remote = remote
        self.nowPlaying = nowPlaying
        self.running = running
    }

    package init(json: JSONValue) throws(RPCError) {
        settings = try AudioSettings(json: json.object("session"))
        active = try json.bool("active", default: false)
        interrupted = try json.bool("interrupted", default: false)
        speaker = try json.bool("speaker", default: false)
        streams = try json.records("streams")
        remote = try json.optionalRecord("remote") ?? AudioRemote()
        nowPlaying = try json.optionalRecord("nowPlaying") ?? NowPlaying()
        running = try json.elements("running").compactMap(\.int).map { Int64($0) }
    }

    package var json: JSONValue {
        [
            "protocol": .int(Int64(audioProtocolVersion)), "session": settings.json, "active": .bool(active),
            "interrupted": .bool(interrupted), "speaker": .bool(speaker), "streams": .array(streams.map(\.json)),
            "remote": remote.json, "nowPlaying": nowPlaying.json, "running": .array(running.map { .int($0) }),
        ]
    }
}

/// The parameters of `start` and `stop`.
package struct AudioStreamRecord: WireRecord {
    package var stream: Int64
    package var direction: AudioDirection

    package init(stream: Int64, direction: AudioDirection) {
        self.stream = stream
        self.direction = direction
    }

    package init(json: JSONValue) throws(RPCError) {
        stream = try json.integer("stream")
        direction = try json.optionalWord("direction") ?? .output
    }

    package var json: JSONValue { ["stream": .int(stream), "direction": .string(direction.rawValue)] }
}

/// The parameters of `remote`: what it obeys.
package struct AudioRemote: WireRecord {
    package var commands: [AudioCommandKind]
    /// It wants remote-control events, through its responder chain.
    package var events: Bool

    package init(commands: [AudioCommandKind] = [], events: Bool = false) {
        self.commands = commands
        self.events = events
    }

    package init(json: JSONValue) throws(RPCError) {
        commands = try json.words("commands")
        events = try json.bool("events", default: false)
    }

    package var json: JSONValue {
        ["commands": .array(commands.map { .string($0.rawValue) }), "events": .bool(events)]
    }
}
