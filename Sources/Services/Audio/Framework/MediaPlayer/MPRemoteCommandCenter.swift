package import AudioClient
internal import AudioModel
internal import Synchronization

/// What controls can ask of the app. Give a command a target, and the app obeys it.
///
/// Everything may be called on any thread; targets are called on the main thread.
// Immutable but for its commands, which are safe to share.
open class MPRemoteCommandCenter: NSObject, @unchecked Sendable {
    private static let app = MPRemoteCommandCenter(.shared)

    /// The one of the app.
    open class func shared() -> MPRemoteCommandCenter { app }

    /// Pause.
    public let pauseCommand: MPRemoteCommand
    /// Play.
    public let playCommand: MPRemoteCommand
    /// Stop.
    public let stopCommand: MPRemoteCommand
    /// Play if it pauses, and pause if it plays.
    public let togglePlayPauseCommand: MPRemoteCommand
    /// The next track.
    public let nextTrackCommand: MPRemoteCommand
    /// The track of before.
    public let previousTrackCommand: MPRemoteCommand
    /// Begin or end to go forward quickly.
    public let seekForwardCommand: MPRemoteCommand
    /// Begin or end to go back quickly.
    public let seekBackwardCommand: MPRemoteCommand
    /// Forward by some seconds.
    public let skipForwardCommand: MPSkipIntervalCommand
    /// Back by some seconds.
    public let skipBackwardCommand: MPSkipIntervalCommand
    /// To another place.
    public let changePlaybackPositionCommand: MPChangePlaybackPositionCommand
    /// Faster or slower.
    public let changePlaybackRateCommand: MPChangePlaybackRateCommand
    /// Again, or not.
    public let changeRepeatModeCommand: MPChangeRepeatModeCommand
    /// In another order.
    public let changeShuffleModeCommand: MPChangeShuffleModeCommand
    /// A rating of what plays.
    public let ratingCommand: MPRatingCommand
    /// The user likes what plays.
    public let likeCommand: MPFeedbackCommand
    /// The user does not like what plays.
    public let dislikeCommand: MPFeedbackCommand
    /// The user marks what plays.
    public let bookmarkCommand: MPFeedbackCommand
    /// A language is wanted. Controls here have no such button.
    public let enableLanguageOptionCommand: MPRemoteCommand
    /// A language is not wanted. Controls here have no such button.
    public let disableLanguageOptionCommand: MPRemoteCommand

    private let client: AudioClient
    private let handler: CommandHandler
    private let obeyed: Mutex<Set<AudioCommandKind>>

    package init(_ client: AudioClient) {
        self.client = client
        let handler = CommandHandler()
        self.handler = handler
        obeyed = Mutex([])
        let changed: @Sendable () -> Void = { handler.center?.changed() }
        pauseCommand = MPRemoteCommand(.pause, changed)
        playCommand = MPRemoteCommand(.play, changed)
        stopCommand = MPRemoteCommand(.stop, changed)
        togglePlayPauseCommand = MPRemoteCommand(.toggle, changed)
        nextTrackCommand = MPRemoteCommand(.next, changed)
        previousTrackCommand = MPRemoteCommand(.previous, changed)
        seekForwardCommand = MPSeekCommand(.seekForward, changed)
        seekBackwardCommand = MPSeekCommand(.seekBackward, changed)
        skipForwardCommand = MPSkipIntervalCommand(.skipForward, changed)
        skipBackwardCommand = MPSkipIntervalCommand(.skipBackward, changed)
        changePlaybackPositionCommand = MPChangePlaybackPositionCommand(.seek, changed)
        changePlaybackRateCommand = MPChangePlaybackRateCommand(.rate, changed)
        changeRepeatModeCommand = MPChangeRepeatModeCommand(.repeats, changed)
        changeShuffleModeCommand = MPChangeShuffleModeCommand(.shuffle, changed)
        ratingCommand = MPRatingCommand(.rating, changed)
        likeCommand = MPFeedbackCommand(.like, changed)
        dislikeCommand = MPFeedbackCommand(.dislike, changed)
        bookmarkCommand = MPFeedbackCommand(.bookmark, changed)
        enableLanguageOptionCommand = MPRemoteCommand(nil, changed)
        disableLanguageOptionCommand = MPRemoteCommand(nil, changed)
        super.init()
        handler.own(self)
        client.use(commands: handler)
        client.whenReset { [weak self] in self?.forget() }
    }

    private var commands: [MPRemoteCommand] {
        [
            pauseCommand, playCommand, stopCommand, togglePlayPauseCommand, nextTrackCommand, previousTrackCommand,
            seekForwardCommand, seekBackwardCommand, skipForwardCommand, skipBackwardCommand,
            changePlaybackPositionCommand, changePlaybackRateCommand, changeRepeatModeCommand,
            changeShuffleModeCommand, ratingCommand, likeCommand, dislikeCommand, bookmarkCommand,
            enableLanguageOptionCommand, disableLanguageOptionCommand,
        ]
    }

    private func changed() {
        let now = Set(commands.filter(\.isObeyed).compactMap(\.kind))
        let isNews = obeyed.withLock { obeyed in
            defer { obeyed = now }
            return obeyed != now
        }
        if isNews { client.obey(now) }
        client.offerSkips(forward: skipForwardCommand.offered, backward: skipBackwardCommand.offered)
    }

    /// The app has ended, where that is not the end of the process.
    private func forget() {
        for command in commands { command.forget() }
        obeyed.withLock { $0 = [] }
    }

    /// `nil`: the app does not obey it.
    @MainActor func perform(_ command: AudioCommand) -> AudioCommandStatus? {
        guard let obeying = commands.first(where: { $0.kind == command.kind }), obeying.isObeyed else {
            return substitute(command).flatMap { perform($0) }
        }
        return obeying.perform(obeying.event(command)).map(AudioCommandStatus.init)
    }

    /// An app that obeys play and pause obeys the one button of a headset too.
    private func substitute(_ command: AudioCommand) -> AudioCommand? {
        guard command == .toggle, playCommand.isObeyed || pauseCommand.isObeyed else { return nil }
        let isPlaying = client.nowPlaying.state == .playing || (client.nowPlaying.rate ?? 0) > 0
        if isPlaying { return pauseCommand.isObeyed ? .pause : nil }
        return playCommand.isObeyed ? .play : nil
    }
}

/// Hears the commands of controls.
@MainActor
private final class CommandHandler: AudioCommandHandler {
    private struct Owner: Sendable {
        weak var center: MPRemoteCommandCenter?
    }

    private nonisolated let owner = Mutex(Owner())

    nonisolated init() {}

    nonisolated var center: MPRemoteCommandCenter? { owner.withLock { $0.center } }
    nonisolated func own(_ center: MPRemoteCommandCenter) { owner.withLock { $0.center = center } }

    func perform(_ command: AudioCommand) -> AudioCommandStatus? { center?.perform(command) }
}

extension AudioCommandStatus {
    fileprivate init(_ status: MPRemoteCommandHandlerStatus) {
        switch status {
        case .success: self = .success
        case .noSuchContent: self = .noSuchContent
        case .noActionableNowPlayingItem: self = .noActionableItem
        case .deviceNotFound: self = .deviceNotFound
        case .commandFailed: self = .failed
        }
    }
}
