/// What controls ask of a player: those of the lock screen and the switcher, headsets, desktops.
package enum AudioCommand: Hashable, Sendable, Codable {
    case play, pause, stop, toggle, next, previous
    case beginSeekingBackward, endSeekingBackward, beginSeekingForward, endSeekingForward
    /// By so many seconds.
    case skipForward(Double)
    case skipBackward(Double)
    /// To so many seconds after the beginning.
    case seek(Double)
    case rate(Double)
    case shuffle(Bool)
    case repeats(AudioRepeat)
    case rating(Double)
    case like, dislike, bookmark

    package var kind: AudioCommandKind {
        switch self {
        case .play: .play
        case .pause: .pause
        case .stop: .stop
        case .toggle: .toggle
        case .next: .next
        case .previous: .previous
        case .beginSeekingBackward, .endSeekingBackward: .seekBackward
        case .beginSeekingForward, .endSeekingForward: .seekForward
        case .skipForward: .skipForward
        case .skipBackward: .skipBackward
        case .seek: .seek
        case .rate: .rate
        case .shuffle: .shuffle
        case .repeats: .repeats
        case .rating: .rating
        case .like: .like
        case .dislike: .dislike
        case .bookmark: .bookmark
        }
    }

    package enum Seeking: Hashable, Sendable { case begin, end }

    /// A seek button goes down, or up again; `nil`: it is another command.
    package var seeking: Seeking? {
        switch self {
        case .beginSeekingBackward, .beginSeekingForward: .begin
        case .endSeekingBackward, .endSeekingForward: .end
        default: nil
        }
    }

    /// The subtype of the event that UIKit sends through the responder chain; Apple's number. Others have none.
    package var eventSubtype: Int? {
        switch self {
        case .play: 100
        case .pause: 101
        case .stop: 102
        case .toggle: 103
        case .next: 104
        case .previous: 105
        case .beginSeekingBackward: 106
        case .endSeekingBackward: 107
        case .beginSeekingForward: 108
        case .endSeekingForward: 109
        default: nil
        }
    }
}

package enum AudioRepeat: String, Hashable, Sendable, Codable, CaseIterable { case off, one, all }

/// Which command it is, without what comes with it: what a player can say that it obeys.
package enum AudioCommandKind: String, Hashable, Sendable, Codable, CaseIterable {
    case play, pause, stop, toggle, next, previous, seekBackward, seekForward, skipForward, skipBackward, seek, rate
    case shuffle, repeats, rating, like, dislike, bookmark

    /// Those that there is a remote-control event for.
    package static let events: Set<AudioCommandKind> = [
        .play, .pause, .stop, .toggle, .next, .previous, .seekBackward, .seekForward,
    ]
}

/// What became of a command: Apple's `MPRemoteCommandHandlerStatus`.
package enum AudioCommandStatus: String, Hashable, Sendable, Codable, CaseIterable {
    case success, noSuchContent, noActionableItem, deviceNotFound, failed
}

/// What a player says that it plays: `MPNowPlayingInfoCenter`.
package struct NowPlaying: Hashable, Sendable, Codable {
    package enum State: String, Hashable, Sendable, Codable, CaseIterable {
        case unknown, playing, paused, stopped, interrupted
    }

    package var title: String?
    package var artist: String?
    package var album: String?
    package var genre: String?
    /// Seconds.
    package var duration: Double?
    package var elapsed: Double?
    /// 1 is as recorded, 0 stands still.
    package var rate: Double?
    package var track: Int?
    package var trackCount: Int?
    package var isLive = false
    /// The path of a picture.
    package var artwork: String?
    package var state = State.unknown
    /// Seconds that the buttons of controls are to skip by, where the app names some and obeys them.
    package var skipForward: Double?
    package var skipBackward: Double?

    package init() {}

    package var isEmpty: Bool { self == NowPlaying() }

    /// Bytes of a text, and of a path.
    package static let longestText = 512
    package static let longestPath = 1024

    /// With its texts cut to what is kept of them.
    package var bounded: NowPlaying {
        var result = self
        func cut(_ text: String?, _ most: Int) -> String? {
            guard let text, text.utf8.count > most else { return text }
            // One character may be a megabyte of combining marks.
            return String(decoding: text.utf8.prefix(most), as: UTF8.self)
        }
        result.title = cut(title, Self.longestText)
        result.artist = cut(artist, Self.longestText)
        result.album = cut(album, Self.longestText)
        result.genre = cut(genre, Self.longestText)
        if let artwork, artwork.utf8.count > Self.longestPath { result.artwork = nil }
        result.skipForward = Self.interval(skipForward)
        result.skipBackward = Self.interval(skipBackward)
        return result
    }

    /// An interval that a button can show: some part of a second to a day.
    package static func interval(_ seconds: Double?) -> Double? {
        seconds.flatMap { $0.isFinite && $0 > 0 && $0 <= 86_400 ? $0 : nil }
    }
}
