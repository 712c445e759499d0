package import AudioModel
package import Wire

/// The answer of `status`.
package struct AudioStatusInfo: WireRecord {
    package var players: [AudioPlayerInfo]
    package var ports: [AudioPort]
    package var ringer: Bool
    package var volume: Double
    /// The sound server is there.
    package var engine: Bool
    /// What links streams to devices (WirePlumber) is there.
    package var sessionManager: Bool

    package init(
        players: [AudioPlayerInfo], ports: [AudioPort], ringer: Bool, volume: Double, engine: Bool, sessionManager: Bool
    ) {
        self.players = players
        self.ports = ports
        self.ringer = ringer
        self.volume = volume
        self.engine = engine
        self.sessionManager = sessionManager
    }

    package init(json: JSONValue) throws(RPCError) {
        players = try json.records("players")
        ports = try json.records("ports")
        ringer = try json.bool("ringer")
        volume = try json.number("volume")
        engine = try json.bool("engine")
        sessionManager = try json.bool("sessionManager")
    }

    package var json: JSONValue {
        [
            "players": .array(players.map(\.json)), "ports": .array(ports.map(\.json)), "ringer": .bool(ringer),
            "volume": .double(volume), "engine": .bool(engine),
            "sessionManager": .bool(sessionManager),
        ]
    }
}

package struct AudioPlayerInfo: WireRecord {
    /// `nil`: a program that is none of the apps.
    package var app: String?
    package var pid: Int?
    package var name: String
    package var settings: AudioSettings
    /// `active`, `inactive` or `interrupted`.
    package var session: String
    package var playing: Bool
    package var recording: Bool
    package var ducked: Bool
    package var muted: Bool
    /// The controls belong to it.
    package var target: Bool
    package var nowPlaying: NowPlaying
    package var route: [AudioPort]

    package init(
        app: String?, pid: Int?, name: String, settings: AudioSettings, session: String, playing: Bool,
        recording: Bool, ducked: Bool, muted: Bool, target: Bool, nowPlaying: NowPlaying, route: [AudioPort]
    ) {
        self.app = app
        self.pid = pid
        self.name = name
        self.settings = settings
        self.session = session
        self.playing = playing
        self.recording = recording
        self.ducked = ducked
        self.muted = muted
        self.target = target
        self.nowPlaying = nowPlaying
        self.route = route
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.optionalString("app")
        pid = try json.optionalInt("pid")
        name = try json.string("name")
        settings = try AudioSettings(json: json.object("settings"))
        session = try json.string("session")
        playing = try json.bool("playing")
        recording = try json.bool("recording")
        ducked = try json.bool("ducked")
        muted = try json.bool("muted")
        target = try json.bool("target")
        nowPlaying = try NowPlaying(json: json.object("nowPlaying"))
        route = try json.records("route")
    }

    package var json: JSONValue {
        [
            "app": JSONValue(app), "pid": JSONValue(pid), "name": .string(name), "settings": settings.json,
            "session": .string(session), "playing": .bool(playing), "recording": .bool(recording),
            "ducked": .bool(ducked), "muted": .bool(muted), "target": .bool(target), "nowPlaying": nowPlaying.json,
            "route": .array(route.map(\.json)),
        ]
    }
}

/// The parameters of `interruption`.
package struct AudioToolInterruption: WireRecord {
    package var begins: Bool
    package var resumes: Bool

    package init(begins: Bool, resumes: Bool = true) {
        self.begins = begins
        self.resumes = resumes
    }

    package init(json: JSONValue) throws(RPCError) {
        begins = try json.bool("begins")
        resumes = try json.bool("resumes", default: true)
    }

    package var json: JSONValue { ["begins": .bool(begins), "resumes": .bool(resumes)] }
}

/// The parameters of `permission`.
package struct AudioToolPermission: WireRecord {
    package var app: String
    package var permission: AudioPermission

    package init(app: String, permission: AudioPermission) {
        self.app = app
        self.permission = permission
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        permission = try json.word("permission")
    }

    package var json: JSONValue { ["app": .string(app), "permission": .string(permission.rawValue)] }
}
