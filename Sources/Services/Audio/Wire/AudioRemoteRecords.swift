package import AudioModel
package import Wire

extension AudioCommand: WireRecord {
    private enum Name: String, CaseIterable {
        case play, pause, stop, toggle, next, previous
        case beginSeekingBackward, endSeekingBackward, beginSeekingForward, endSeekingForward
        case skipForward, skipBackward, seek, rate, shuffle, repeats, rating, like, dislike, bookmark
    }

    package init(json: JSONValue) throws(RPCError) {
        func value() throws(RPCError) -> Double {
            let value = try json.number("value")
            guard value.isFinite else { throw .invalidParameter("value", "the parameter value must be finite") }
            return value
        }
        switch try json.word("command", of: Name.self) {
        case .play: self = .play
        case .pause: self = .pause
        case .stop: self = .stop
        case .toggle: self = .toggle
        case .next: self = .next
        case .previous: self = .previous
        case .beginSeekingBackward: self = .beginSeekingBackward
        case .endSeekingBackward: self = .endSeekingBackward
        case .beginSeekingForward: self = .beginSeekingForward
        case .endSeekingForward: self = .endSeekingForward
        case .skipForward: self = .skipForward(try value())
        case .skipBackward: self = .skipBackward(try value())
        case .seek: self = .seek(try value())
        case .rate: self = .rate(try value())
        case .rating: self = .rating(try value())
        case .shuffle: self = .shuffle(try json.bool("on"))
        case .repeats: self = .repeats(try json.word("repeat"))
        case .like: self = .like
        case .dislike: self = .dislike
        case .bookmark: self = .bookmark
        }
    }

    package var json: JSONValue {
        func named(_ name: Name) -> JSONValue { ["command": .string(name.rawValue)] }
        func valued(_ name: Name, _ value: Double) -> JSONValue {
            ["command": .string(name.rawValue), "value": .double(value)]
        }
        return switch self {
        case .play: named(.play)
        case .pause: named(.pause)
        case .stop: named(.stop)
        case .toggle: named(.toggle)
        case .next: named(.next)
        case .previous: named(.previous)
        case .beginSeekingBackward: named(.beginSeekingBackward)
        case .endSeekingBackward: named(.endSeekingBackward)
        case .beginSeekingForward: named(.beginSeekingForward)
        case .endSeekingForward: named(.endSeekingForward)
        case .skipForward(let seconds): valued(.skipForward, seconds)
        case .skipBackward(let seconds): valued(.skipBackward, seconds)
        case .seek(let seconds): valued(.seek, seconds)
        case .rate(let rate): valued(.rate, rate)
        case .rating(let rating): valued(.rating, rating)
        case .shuffle(let isOn): ["command": .string(Name.shuffle.rawValue), "on": .bool(isOn)]
        case .repeats(let way):
            ["command": .string(Name.repeats.rawValue), "repeat": .string(way.rawValue)]
        case .like: named(.like)
        case .dislike: named(.dislike)
        case .bookmark: named(.bookmark)
        }
    }
}

extension NowPlaying: WireRecord {
    package init(json: JSONValue) throws(RPCError) {
        self.init()
        title = try json.optionalString("title")
        artist = try json.optionalString("artist")
        album = try json.optionalString("album")
        genre = try json.optionalString("genre")
        duration = try json.optionalNumber("duration")
        elapsed = try json.optionalNumber("elapsed")
        rate = try json.optionalNumber("rate")
        track = try json.optionalInt("track")
        trackCount = try json.optionalInt("trackCount")
        isLive = try json.bool("live", default: false)
        artwork = try json.optionalString("artwork")
        state = try json.optionalWord("state") ?? .unknown
        skipForward = try json.optionalNumber("skipForward")
        skipBackward = try json.optionalNumber("skipBackward")
    }

    package var json: JSONValue {
        var object: JSONObject = [:]
        object["title"] = title.map(JSONValue.string)
        object["artist"] = artist.map(JSONValue.string)
        object["album"] = album.map(JSONValue.string)
        object["genre"] = genre.map(JSONValue.string)
        object["duration"] = duration.map(JSONValue.double)
        object["elapsed"] = elapsed.map(JSONValue.double)
        object["rate"] = rate.map(JSONValue.double)
        object["track"] = track.map { .int(Int64($0)) }
        object["trackCount"] = trackCount.map { .int(Int64($0)) }
        if isLive { object["live"] = true }
        object["artwork"] = artwork.map(JSONValue.string)
        object["state"] = .string(state.rawValue)
        object["skipForward"] = skipForward.map(JSONValue.double)
        object["skipBackward"] = skipBackward.map(JSONValue.double)
        return .object(object)
    }
}

/// What an app is told, and by which number.
package struct AudioTold: WireRecord {
    package var seq: Int64
    package var news: AudioNews

    package init(seq: Int64, news: AudioNews) {
        self.seq = seq
        self.news = news
    }

    package var message: AudioClientMessage {
        switch news {
        case .interrupted: .interrupted
        case .interruptionEnded: .interruptionEnded
        case .routeChanged: .routeChanged
        case .command: .command
        case .silenceHint: .silenceHint
        }
    }

    package init(json: JSONValue) throws(RPCError) {
        seq = try json.integer("seq")
        switch try json.word("news", of: AudioClientMessage.self) {
        case .interrupted: news = .interrupted(try json.word("reason"))
        case .interruptionEnded: news = .interruptionEnded(shouldResume: try json.bool("shouldResume"))
        case .routeChanged:
            news = .routeChanged(
                try json.word("reason"), previous: try json.records("previous"),
                pauses: try json.bool("pauses", default: false))
        case .command: news = .command(try AudioCommand(json: json))
        case .silenceHint: news = .silenceHint(try json.bool("begins"))
        case .surroundings: throw .invalidParameter("news", "surroundings are no news of their own")
        }
    }

    package var json: JSONValue {
        var object: JSONObject = ["seq": .int(seq), "news": .string(message.rawValue)]
        switch news {
        case .interrupted(let reason): object["reason"] = .string(reason.rawValue)
        case .interruptionEnded(let shouldResume): object["shouldResume"] = .bool(shouldResume)
        case .routeChanged(let reason, let previous, let pauses):
            object["reason"] = .string(reason.rawValue)
            object["previous"] = .array(previous.map(\.json))
            object["pauses"] = .bool(pauses)
        case .command(let command):
            for member in command.json.object?.members ?? [] { object[member.key] = member.value }
        case .silenceHint(let begins): object["begins"] = .bool(begins)
        }
        return .object(object)
    }
}

/// An app's answer to what it was told, and the service's to a tool.
package struct AudioStatusAnswer: WireRecord {
    package var status: AudioCommandStatus

    package init(status: AudioCommandStatus) { self.status = status }
    package init(json: JSONValue) throws(RPCError) { status = try json.optionalWord("status") ?? .success }
    package var json: JSONValue { ["status": .string(status.rawValue)] }
}
