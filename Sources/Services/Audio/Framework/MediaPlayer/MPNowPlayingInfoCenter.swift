package import AudioClient
internal import AudioModel

/// Whether the app plays, as it says itself.
public enum MPNowPlayingPlaybackState: UInt, Sendable {
    /// It says nothing: the system knows by its sound.
    case unknown
    /// It plays.
    case playing
    /// It pauses.
    case paused
    /// It has stopped.
    case stopped
    /// Something else sounds.
    case interrupted
}

/// What of it is to be heard, or to be seen too.
public enum MPNowPlayingInfoMediaType: UInt, Sendable {
    /// Nothing is said.
    case none
    /// To be heard.
    case audio
    /// To be seen too.
    case video
}

/// What the app plays, for controls to show: those of the lock screen and the switcher, and of desktops.
///
/// It may be used on any thread.
// What changes is behind a lock.
open class MPNowPlayingInfoCenter: NSObject, @unchecked Sendable {
    private struct State {
        var info: [String: Any]?
        var playback = MPNowPlayingPlaybackState.unknown
        var artwork = ArtworkFile()
    }

    private static let app = MPNowPlayingInfoCenter(.shared)

    /// The one of the app.
    open class func `default`() -> MPNowPlayingInfoCenter { app }

    private let client: AudioClient
    private let state = Guarded(State())

    package init(_ client: AudioClient) {
        self.client = client
        super.init()
        client.whenReset { [weak self] in
            self?.state.withLock { state in
                state.artwork.remove()
                state = State()
            }
        }
    }

    /// What plays, by the keys `MPMediaItemProperty…` and `MPNowPlayingInfoProperty…`; `nil` for nothing. Set it
    /// when something else plays, and when the place or the rate jumps: between those the system counts on.
    open var nowPlayingInfo: [String: Any]? {
        get { state.withLock { $0.info } }
        set {
            client.nowPlaying = state.withLock { state in
                state.info = newValue
                return Self.words(&state)
            }
        }
    }

    /// Whether the app plays, as it says itself.
    open var playbackState: MPNowPlayingPlaybackState {
        get { state.withLock { $0.playback } }
        set {
            client.nowPlaying = state.withLock { state in
                state.playback = newValue
                return Self.words(&state)
            }
        }
    }

    private static func words(_ state: inout State) -> NowPlaying {
        var playing = NowPlaying()
        let info = state.info ?? [:]
        func text(_ key: String) -> String? { info[key] as? String }
        playing.title = text(MPMediaItemPropertyTitle)
        playing.artist =
            text(MPMediaItemPropertyArtist) ?? text(MPMediaItemPropertyAlbumArtist)
            ?? text(MPMediaItemPropertyPodcastTitle)
        playing.album = text(MPMediaItemPropertyAlbumTitle) ?? text(MPMediaItemPropertyPodcastTitle)
        playing.genre = text(MPMediaItemPropertyGenre)
        playing.duration = number(info[MPMediaItemPropertyPlaybackDuration]).flatMap { $0 >= 0 ? $0 : nil }
        playing.elapsed = number(info[MPNowPlayingInfoPropertyElapsedPlaybackTime])
        playing.rate = number(info[MPNowPlayingInfoPropertyPlaybackRate])
        playing.track = number(info[MPMediaItemPropertyAlbumTrackNumber]).flatMap { Int(exactly: $0.rounded()) }
        playing.trackCount = number(info[MPMediaItemPropertyAlbumTrackCount]).flatMap { Int(exactly: $0.rounded()) }
        playing.isLive = number(info[MPNowPlayingInfoPropertyIsLiveStream]).map { $0 != 0 } ?? false
        playing.artwork = state.artwork.path(for: info[MPMediaItemPropertyArtwork] as? MPMediaItemArtwork)
        playing.state =
            switch state.playback {
            case .unknown: .unknown
            case .playing: .playing
            case .paused: .paused
            case .stopped: .stopped
            case .interrupted: .interrupted
            }
        return playing.bounded
    }

    /// Of any type that apps write; finite.
    private static func number(_ value: Any?) -> Double? {
        let number: Double? =
            switch value {
            case let number as NSNumber: number.doubleValue
            case let number as Double: number
            case let number as Float: Double(number)
            case let number as Bool: number ? 1 : 0
            case let number as any BinaryInteger: Double(Int(truncatingIfNeeded: number))
            default: nil
            }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }
}

/// Something that can be chosen of a language.
open class MPNowPlayingInfoLanguageOption: NSObject, @unchecked Sendable {}  // Empty.
/// What can be chosen of languages.
open class MPNowPlayingInfoLanguageOptionGroup: NSObject, @unchecked Sendable {}  // Empty.
