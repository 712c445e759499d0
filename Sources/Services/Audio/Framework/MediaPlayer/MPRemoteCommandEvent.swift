/// What became of a command.
public enum MPRemoteCommandHandlerStatus: Int, Sendable {
    /// The app did it.
    case success = 0
    /// What it is about is not there.
    case noSuchContent = 100
    /// Nothing plays.
    case noActionableNowPlayingItem = 110
    /// What it would play by is not there.
    case deviceNotFound = 120
    /// It did not work.
    case commandFailed = 200
}

/// A command that was given.
// Immutable.
open class MPRemoteCommandEvent: NSObject, @unchecked Sendable {
    /// Which it is.
    public let command: MPRemoteCommand
    /// When it was given, in seconds since the system began.
    public let timestamp: TimeInterval

    init(_ command: MPRemoteCommand) {
        self.command = command
        timestamp = ProcessInfo.processInfo.systemUptime
    }
}

/// Forward or back by so many seconds.
// Immutable.
open class MPSkipIntervalCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// Seconds.
    public let interval: TimeInterval

    init(_ command: MPRemoteCommand, _ interval: TimeInterval) {
        self.interval = interval
        super.init(command)
    }
}

/// Whether going forward or back quickly begins or ends.
public enum MPSeekCommandEventType: UInt, Sendable {
    /// From now on.
    case beginSeeking
    /// No longer.
    case endSeeking
}

/// Going forward or back quickly begins or ends.
// Immutable.
open class MPSeekCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// Which of the two.
    public let type: MPSeekCommandEventType

    init(_ command: MPRemoteCommand, _ type: MPSeekCommandEventType) {
        self.type = type
        super.init(command)
    }
}

/// The user rates what plays.
// Immutable.
open class MPRatingCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// How good it is.
    public let rating: Float

    init(_ command: MPRemoteCommand, _ rating: Float) {
        self.rating = rating
        super.init(command)
    }
}

/// The user likes what plays, or marks it, or takes that back.
// Immutable.
open class MPFeedbackCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// Whether it is taken back.
    public let isNegative: Bool

    init(_ command: MPRemoteCommand, isNegative: Bool) {
        self.isNegative = isNegative
        super.init(command)
    }
}

/// Faster or slower.
// Immutable.
open class MPChangePlaybackRateCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// 1 is as recorded.
    public let playbackRate: Float

    init(_ command: MPRemoteCommand, _ rate: Float) {
        playbackRate = rate
        super.init(command)
    }
}

/// To another place.
// Immutable.
open class MPChangePlaybackPositionCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// Seconds after the begin.
    public let positionTime: TimeInterval

    init(_ command: MPRemoteCommand, _ position: TimeInterval) {
        positionTime = position
        super.init(command)
    }
}

/// In which order things play.
public enum MPShuffleType: Int, Sendable {
    /// In theirs.
    case off
    /// One after the other by chance.
    case items
    /// Whole collections by chance.
    case collections
}

/// What plays again.
public enum MPRepeatType: Int, Sendable {
    /// Nothing.
    case off
    /// What plays now.
    case one
    /// All.
    case all
}

/// In another order.
// Immutable.
open class MPChangeShuffleModeCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// Which one.
    public let shuffleType: MPShuffleType
    /// Whether it stays for other collections.
    public let preservesShuffleMode: Bool

    init(_ command: MPRemoteCommand, _ type: MPShuffleType) {
        shuffleType = type
        preservesShuffleMode = true
        super.init(command)
    }
}

/// Again, or not.
// Immutable.
open class MPChangeRepeatModeCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// What.
    public let repeatType: MPRepeatType
    /// Whether it stays for other collections.
    public let preservesRepeatMode: Bool

    init(_ command: MPRemoteCommand, _ type: MPRepeatType) {
        repeatType = type
        preservesRepeatMode = true
        super.init(command)
    }
}

/// Another language.
// Immutable.
open class MPChangeLanguageOptionCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// Which one.
    public let languageOption: MPNowPlayingInfoLanguageOption

    init(_ command: MPRemoteCommand, _ option: MPNowPlayingInfoLanguageOption) {
        languageOption = option
        super.init(command)
    }
}
