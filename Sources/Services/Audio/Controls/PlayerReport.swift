internal import AudioModel
internal import DBus

/// What a player has said of itself, as far as it makes sense: anything may be missing, huge or of another type than
/// MPRIS has for it.
struct PlayerReport {
    private(set) var identity: String?
    private(set) var desktopEntry: String?
    private(set) var abilities = OtherPlayer.Abilities()
    private(set) var nowPlaying = NowPlaying()
    private(set) var saidAt: Int64 = 0
    /// What the player calls the track.
    private(set) var track: DBusObjectPath?

    private var canLoop = false
    private var canShuffle = false
    private var rates = (least: 1.0, most: 1.0)

    private static let mostArtists = 16
    private static let longestFileName = 255

    /// Takes over what is in a dictionary of properties. It returns whether the position has to be asked for: that goes
    /// on in another way, and was not said.
    mutating func read(_ interface: String, _ properties: DBusValue, at now: Int64) -> Bool {
        switch interface {
        case MPRIS.root:
            if let name = properties["Identity"] { identity = Self.text(name) }
            if let entry = properties["DesktopEntry"] { desktopEntry = Self.fileName(entry) }
            return false
        case MPRIS.player: return readPlayer(properties, at: now)
        default: return false
        }
    }

    /// The player says where it is.
    mutating func moved(to position: DBusValue?, at now: Int64) {
        guard let position = position.flatMap(Self.finite) else { return }
        nowPlaying.elapsed = Microseconds.seconds(Self.time(position))
        saidAt = now
    }

    /// Seconds from the beginning of the track, as far as it is known.
    func elapsed(at now: Int64) -> Double? {
        var player = OtherPlayer(id: "", name: "", identity: "")
        (player.nowPlaying, player.saidAt) = (nowPlaying, saidAt)
        return player.elapsed(at: now)
    }

    private mutating func readPlayer(_ properties: DBusValue, at now: Int64) -> Bool {
        var next = self
        next.nowPlaying.elapsed = elapsed(at: now)
        next.saidAt = now
        if let status = properties["PlaybackStatus"] { next.nowPlaying.state = Self.state(status) }
        if let rate = properties["Rate"] { next.nowPlaying.rate = Self.finite(rate) }
        if let metadata = properties["Metadata"] { next.readTrack(metadata) }
        next.readAbilities(properties)
        let isOtherTrack = next.track != track || next.nowPlaying.title != nowPlaying.title
        if isOtherTrack { next.nowPlaying.elapsed = next.nowPlaying.elapsed.map { _ in 0 } }
        let goesOn =
            !isOtherTrack && next.nowPlaying.state == nowPlaying.state && next.nowPlaying.rate == nowPlaying.rate
        if goesOn { (next.nowPlaying.elapsed, next.saidAt) = (nowPlaying.elapsed, saidAt) }
        let position = properties["Position"]
        next.moved(to: position, at: now)
        self = next
        return !goesOn && position.flatMap(Self.finite) == nil
    }

    private mutating func readAbilities(_ properties: DBusValue) {
        func read(_ name: String, _ ability: inout Bool) {
            if let value = properties[name]?.bool { ability = value }
        }
        read("CanPlay", &abilities.play)
        read("CanPause", &abilities.pause)
        read("CanGoNext", &abilities.next)
        read("CanGoPrevious", &abilities.previous)
        read("CanSeek", &abilities.seek)
        read("CanControl", &abilities.control)
        // These may be absent, and then a player has none of it.
        if case .string? = properties["LoopStatus"] { canLoop = true }
        if case .boolean? = properties["Shuffle"] { canShuffle = true }
        if let least = properties["MinimumRate"].flatMap(Self.finite) { rates.least = least }
        if let most = properties["MaximumRate"].flatMap(Self.finite) { rates.most = most }
        (abilities.repeats, abilities.shuffle, abilities.rate) = (canLoop, canShuffle, rates.least < rates.most)
    }

    private mutating func readTrack(_ metadata: DBusValue) {
        track = metadata["mpris:trackid"]?.string.flatMap { text in
            // The specification's word for no track, which has no position either.
            guard text != MPRIS.noTrack, text.utf8.count <= NowPlaying.longestPath else { return nil }
            return DBusObjectPath(text: text)
        }
        var playing = nowPlaying
        playing.title = metadata["xesam:title"].flatMap(Self.text)
        playing.artist = metadata["xesam:artist"].flatMap(Self.list)
        playing.album = metadata["xesam:album"].flatMap(Self.text)
        playing.genre = metadata["xesam:genre"].flatMap(Self.list)
        playing.track = metadata["xesam:trackNumber"]?.int.flatMap { $0 > 0 ? $0 : nil }
        playing.duration = metadata["mpris:length"].flatMap(Self.finite).flatMap { length in
            length > 0 ? Microseconds.seconds(Self.time(length)) : nil
        }
        playing.artwork = metadata["mpris:artUrl"]?.string.flatMap { Texts.path($0, NowPlaying.longestPath) }
        nowPlaying = playing.bounded
    }

    // MARK: Values

    private static func state(_ value: DBusValue) -> NowPlaying.State {
        switch value.string {
        case "Playing": .playing
        case "Paused": .paused
        case "Stopped": .stopped
        default: .unknown
        }
    }

    private static func finite(_ value: DBusValue) -> Double? { value.number.flatMap { $0.isFinite ? $0 : nil } }

    /// Microseconds of any type.
    private static func time(_ microseconds: Double) -> Int64 { Microseconds.of(seconds: max(0, microseconds) / 1e6) }

    private static func text(_ value: DBusValue) -> String? {
        value.string.map { Texts.clean($0, NowPlaying.longestText) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func fileName(_ value: DBusValue) -> String? {
        text(value).flatMap { $0.contains("/") || $0.utf8.count > longestFileName ? nil : $0 }
    }

    /// Several texts as one. Some players send one text where MPRIS has a list.
    private static func list(_ value: DBusValue) -> String? {
        guard case .array(.string, let values) = value else { return text(value) }
        let texts = values.prefix(mostArtists).compactMap(text)
        return texts.isEmpty ? nil : Texts.clean(texts.joined(separator: ", "), NowPlaying.longestText)
    }
}

// MARK: What it is told

/// What a player is sent for a command.
enum PlayerMessage: Hashable {
    case method(String, [DBusValue] = [])
    case property(String, DBusValue)
}

extension PlayerReport {
    /// How a player with this name is told of a command.
    func message(
        for command: AudioCommand, to player: String, at now: Int64
    ) throws(OtherPlayerFailure) -> PlayerMessage {
        guard let isAble = abilities.include(command.kind) else { throw .inexpressible(command.kind) }
        guard isAble else { throw .unable(player: player, command.kind) }
        switch command {
        case .play: return .method("Play")
        case .pause: return .method("Pause")
        case .stop: return .method("Stop")
        case .next: return .method("Next")
        case .previous: return .method("Previous")
        case .toggle:
            // MPRIS wants `PlayPause` to fail where a player cannot pause.
            if abilities.pause { return .method("PlayPause") }
            guard nowPlaying.state != .playing else { throw .unable(player: player, .pause) }
            return .method("Play")
        case .skipForward(let seconds): return .method("Seek", [.int64(Microseconds.of(seconds: seconds))])
        case .skipBackward(let seconds): return .method("Seek", [.int64(-Microseconds.of(seconds: seconds))])
        case .seek(let seconds):
            let target = max(0, Microseconds.of(seconds: seconds))
            if let track { return .method("SetPosition", [.objectPath(track), .int64(target)]) }
            guard let here = elapsed(at: now) else { throw .lost(player: player) }
            return .method("Seek", [.int64(target - Microseconds.of(seconds: here))])
        case .rate(let rate):
            guard rate.isFinite, rate != 0 else { throw .unable(player: player, .rate) }
            return .property("Rate", .double(min(max(rate, rates.least), rates.most)))
        case .shuffle(let value): return .property("Shuffle", .boolean(value))
        case .repeats(let repeats): return .property("LoopStatus", .string(PlayerFace.loopStatus(repeats)))
        case .beginSeekingBackward, .endSeekingBackward, .beginSeekingForward, .endSeekingForward, .rating, .like,
            .dislike, .bookmark:
            throw .inexpressible(command.kind)
        }
    }
}
