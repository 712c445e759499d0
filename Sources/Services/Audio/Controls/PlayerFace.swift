internal import AudioModel
internal import DBus

/// What an app's player shows on the bus, but for its position, whose changes MPRIS does not announce.
struct PlayerFace {
    let state: PublishedState
    /// Names the track; another one gets another number.
    let trackNumber: UInt64

    struct Property: Sendable {
        let name: String
        let type: DBusType
        let value: @Sendable (PlayerFace) -> DBusValue

        init(_ name: String, _ type: DBusType, _ value: @escaping @Sendable (PlayerFace) -> DBusValue) {
            (self.name, self.type, self.value) = (name, type, value)
        }
    }

    /// `CanControl` is announced although MPRIS does not ask for it: an app says later than it appears what it obeys.
    static let properties = [
        Property("PlaybackStatus", .string) { .string($0.state.status.rawValue) },
        Property("LoopStatus", .string) { .string(loopStatus($0.state.repeats)) },
        Property("Rate", .double) { .double($0.state.rate) },
        Property("Shuffle", .boolean) { .boolean($0.state.isShuffled) },
        Property("Metadata", .dictionary(key: .string, value: .variant)) { .properties($0.metadata) },
        Property("Volume", .double) { .double($0.volume) },
        Property("MinimumRate", .double) { .double($0.state.rateRange.lowerBound) },
        Property("MaximumRate", .double) { .double($0.state.rateRange.upperBound) },
        Property("CanGoNext", .boolean) { .boolean($0.state.obeys(.next)) },
        Property("CanGoPrevious", .boolean) { .boolean($0.state.obeys(.previous)) },
        Property("CanPlay", .boolean) { .boolean($0.state.canPlay) },
        Property("CanPause", .boolean) { .boolean($0.state.canPause) },
        Property("CanSeek", .boolean) { .boolean($0.state.canSeek) },
        Property("CanControl", .boolean) { .boolean(!$0.state.commands.isEmpty) },
    ]

    static func loopStatus(_ repeats: AudioRepeat) -> String {
        switch repeats {
        case .off: MPRIS.loopsNever
        case .one: MPRIS.loopsTrack
        case .all: MPRIS.loopsAll
        }
    }

    static func repeats(_ loopStatus: String) -> AudioRepeat? {
        AudioRepeat.allCases.first { self.loopStatus($0) == loopStatus }
    }

    private var volume: Double { state.volume.isFinite ? min(max(0, state.volume), 1) : 1 }

    /// Paths below `/org/mpris` are MPRIS's own.
    var trackPath: DBusObjectPath? {
        state.hasTrack ? DBusObjectPath(text: "/org/greenroom/track/\(trackNumber)") : nil
    }

    private var metadata: [(String, DBusValue)] {
        guard let trackPath else { return [] }
        let playing = state.nowPlaying.bounded
        func text(_ text: String?) -> String? {
            text.map { Texts.clean($0, NowPlaying.longestText) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        let entries: [(String, DBusValue?)] = [
            ("mpris:trackid", .objectPath(trackPath)),
            ("mpris:length", state.length.map { .int64($0) }),
            ("mpris:artUrl", playing.artwork.flatMap(Texts.fileURL).map { .string($0) }),
            ("xesam:title", text(playing.title).map { .string($0) }),
            ("xesam:artist", text(playing.artist).map { .strings([$0]) }),
            ("xesam:album", text(playing.album).map { .string($0) }),
            ("xesam:genre", text(playing.genre).map { .strings([$0]) }),
            ("xesam:trackNumber", playing.track.map { .int32(Int32(clamping: $0)) }),
            // MPRIS has no word for them; one that knows these keys can label its buttons.
            ("greenroom:skipForwardInterval", playing.skipForward.map { .double($0) }),
            ("greenroom:skipBackwardInterval", playing.skipBackward.map { .double($0) }),
        ]
        return entries.compactMap { name, value in value.map { (name, $0) } }
    }
}
