package import AudioModel
package import Model
package import ServiceCore

/// What the audio service hears, says and keeps.
package enum AudioWords: ServiceWords {
    package typealias Request = AudioRequest
    package typealias Command = AudioOrder
    package typealias Inquiry = Never
    package typealias Reply = AudioReply
    package typealias Refusal = AudioRefusal
    package typealias News = AudioNews
    package typealias Answer = AudioCommandStatus
    package typealias Notice = AudioSurroundings
    package typealias Hold = AudioHold
    package typealias Question = Never
    package typealias Record = AudioRecord
    package typealias RecordKey = AudioRecordKey

    /// The windows of its declaration.
    package enum Window: String, Hashable, Sendable, CaseIterable {
        case told
        /// The app comes to the screen, as its controls say.
        case raised
    }

    /// What the sound server and the players on the desktop's bus say.
    package enum Event: Hashable, Sendable {
        case graphAttached
        case graphDetached
        case nodeAppeared(NodeID, NodeDescription)
        /// It gives or takes samples, or it stands still.
        case nodeRuns(NodeID, Bool)
        case nodeGone(NodeID)
        /// The answer to `permit`.
        case permitted(NodeID, OrderID)
        /// The answer to `meter`: the peak; `nil`: it could not be measured.
        case level(NodeID, Float?)
        /// All that sound can go to and come from, the newest last.
        case ports([DevicePort])
        case volume(Double)
        case playerAppeared(PlayerID, PlayerDescription)
        case playerChanged(PlayerID, NowPlaying, commands: Set<AudioCommandKind>)
        case playerGone(PlayerID)
        /// The answer to `control`.
        case controlled(PlayerID, OrderID, AudioCommandStatus)
        /// A button of one player is pressed; answered.
        case command(AppIdentifier, AudioCommand, RequestID)
        /// So much silence out of sight counts as playing, whatever the profile says.
        case silence(Span)
    }

    /// What the sound server and the players are to do.
    package enum Effect: Hashable, Sendable {
        /// Answered by `permitted`, also where the node is gone.
        case permit(NodeID, Bool, OrderID)
        case setGain(NodeID, Float, over: Span)
        case move(NodeID, toDevice: UInt64?)
        /// Answered by `level`.
        case meter(NodeID, Span)
        case setVolume(Double)
        case setDefault(device: UInt64)
        /// Answered by `controlled`.
        case control(PlayerID, AudioCommand, OrderID)
        case publish(AppIdentifier, PublishedPlayer)
        case unpublish(AppIdentifier)
        /// For the log, and for those who ask.
        case report(AudioReport)
    }

    package static func key(of record: AudioRecord) -> AudioRecordKey { record.key }

    /// What most records say is worth nothing once the machine has lost its power.
    package static func durability(of key: AudioRecordKey) -> RecordDurability {
        if case .permission = key { .power } else { .process }
    }

    package static func isPromise(_ command: AudioOrder) -> Bool {
        if case .permission = command { true } else { false }
    }
}

package typealias AudioEvent = ServiceEvent<AudioWords>
package typealias AudioEffect = ServiceEffect<AudioWords>

/// What an app asks for.
package enum AudioRequest: Hashable, Sendable {
    /// First of all on each connection.
    case hello(AppHello)
    case set(AudioSettings)
    case activate
    /// - Parameter notifies: who was interrupted by this session may go on.
    case deactivate(notifies: Bool)
    /// A stream is about to run; the first one activates the session.
    case start(Int64, AudioDirection)
    case stop(Int64)
    /// Which commands it obeys, and whether it wants remote-control events.
    case remote(commands: Set<AudioCommandKind>, events: Bool)
    case nowPlaying(NowPlaying)
    /// Whatever is plugged in: by the speaker.
    case override(toSpeaker: Bool)
    case requestPermission
}

/// How an app's side stands, for a service that may be a new one.
package struct AppHello: Hashable, Sendable {
    package var settings: AudioSettings
    package var isActive: Bool
    /// It was told that it is interrupted, and not that this is over.
    package var isInterrupted: Bool
    /// Those that are to run.
    package var streams: [Int64: AudioDirection]
    package var commands: Set<AudioCommandKind>
    package var wantsEvents: Bool
    package var nowPlaying: NowPlaying
    package var overridesToSpeaker: Bool
    /// What it was told and is not done with.
    package var running: Set<NewsNumber>

    package init(
        settings: AudioSettings = AudioSettings(), isActive: Bool = false, isInterrupted: Bool = false,
        streams: [Int64: AudioDirection] = [:], commands: Set<AudioCommandKind> = [], wantsEvents: Bool = false,
        nowPlaying: NowPlaying = NowPlaying(), overridesToSpeaker: Bool = false, running: Set<NewsNumber> = []
    ) {
        self.settings = settings
        self.isActive = isActive
        self.isInterrupted = isInterrupted
        self.streams = streams
        self.commands = commands
        self.wantsEvents = wantsEvents
        self.nowPlaying = nowPlaying
        self.overridesToSpeaker = overridesToSpeaker
        self.running = running
    }
}
