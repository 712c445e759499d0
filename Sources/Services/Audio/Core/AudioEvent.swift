package import AudioModel
package import Model

/// What happened.
package enum AudioEvent: Hashable, Sendable {
    /// Nothing but time has passed.
    case timer
    case conditions(AudioConditions)

    // The system.
    /// greenroomd is there, and `appState` has come for each app that it knows.
    case systemAttached
    case systemDetached
    case appState(AppIdentifier, AppStanding)
    case closedByUser(AppIdentifier)
    case forgotten(AppIdentifier)
    /// A program of the system that knows nothing of this service, and may play.
    case programStarted(AppDescription)
    /// The answer to `hold`.
    case held(AppIdentifier, AudioHold, HoldAnswer)
    /// The system holds it no longer.
    case holdEnded(AppIdentifier, AudioHold)
    /// It left the screen without the key: what is held is to end. Answered by `stopped`.
    case stop(AppIdentifier, AudioHold, OrderID)
    /// The answer to `wake`.
    case woken(AppIdentifier, NewsNumber, WakeAnswer)
    case windowEnded(AppIdentifier)

    // Apps.
    case attached(ConnectionID, AppDescription)
    case detached(ConnectionID)
    case app(ConnectionID, RequestID, AppRequest)
    /// It is done with what it was told.
    case answered(ConnectionID, NewsNumber, AudioCommandStatus)

    // The sound server.
    case graphAttached
    case graphDetached
    case nodeAppeared(NodeID, NodeDescription)
    /// It gives or takes samples, or it stands still.
    case nodeRuns(NodeID, Bool)
    case nodeGone(NodeID)
    /// The answer to `permit`.
    case permitted(NodeID, OrderID)
    /// The answer to `meter`: the peak; `nil`: nobody could tell.
    case level(NodeID, Float?)
    /// All that sound can go to and come from, the newest last.
    case ports([DevicePort])
    case volume(Double)

    // Players on the desktop's bus.
    case playerAppeared(PlayerID, PlayerDescription)
    case playerChanged(PlayerID, NowPlaying, commands: Set<AudioCommandKind>)
    case playerGone(PlayerID)
    /// The answer to `control`.
    case controlled(PlayerID, OrderID, AudioCommandStatus)
    /// Somebody presses a button of one player; answered.
    case command(AppIdentifier, AudioCommand, RequestID)

    // People.
    case tool(RequestID, ToolRequest)
}

package struct AudioConditions: Hashable, Sendable {
    package enum Call: String, Hashable, Sendable, CaseIterable { case none, ringing, connected }

    package var isLocked: Bool
    package var call: Call

    package init(isLocked: Bool = false, call: Call = .none) {
        self.isLocked = isLocked
        self.call = call
    }
}

/// How an app is.
package struct AppStanding: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable { case active, inactive, background, suspended, none }

    package var state: State
    /// The number of its process.
    package var process: Int64
    package var isVisible: Bool

    package init(_ state: State, process: Int64, isVisible: Bool) {
        self.state = state
        self.process = process
        self.isVisible = isVisible
    }

    package static let gone = AppStanding(.none, process: 0, isVisible: false)

    /// Its process hears what it is told.
    package var isRunning: Bool { state == .active || state == .inactive || state == .background }
}

package struct AppDescription: Hashable, Sendable {
    package var app: AppIdentifier
    package var process: Int64
    /// For people.
    package var name: String
    /// It has the key `audio`.
    package var hasKey: Bool

    package init(_ app: AppIdentifier, process: Int64, name: String, hasKey: Bool) {
        self.app = app
        self.process = process
        self.name = name
        self.hasKey = hasKey
    }
}

package enum HoldAnswer: Hashable, Sendable {
    case allowed
    /// It lacks the key and is not on the screen, or its process is gone.
    case refused
    /// The system died before it answered; what is held is stated anew.
    case lost
}

/// The system's word on `wake`.
package enum WakeAnswer: Hashable, Sendable {
    case allowed
    /// Not now: it is tried again.
    case notNow
    case never
    /// The system died before it answered.
    case lost
}

/// What an app asks for.
package enum AppRequest: Hashable, Sendable {
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

package struct NodeDescription: Hashable, Sendable {
    package var owner: PartyID
    /// For people, where the owner is none of the apps.
    package var name: String
    package var direction: AudioDirection
    /// The number that the app gave it.
    package var stream: Int64?
    /// What a program that knows nothing of this service says it is for.
    package var role: NodeRole
    package var isRunning: Bool

    package init(
        owner: PartyID, name: String = "", direction: AudioDirection = .output, stream: Int64? = nil,
        role: NodeRole = .music, isRunning: Bool = false
    ) {
        self.owner = owner
        self.name = name
        self.direction = direction
        self.stream = stream
        self.role = role
        self.isRunning = isRunning
    }
}

/// `media.role`.
package enum NodeRole: String, Hashable, Sendable, CaseIterable {
    case music, movie, game, communication, navigation, notification, assistant, other

    /// As an app would say it.
    var settings: AudioSettings {
        switch self {
        case .music, .movie: AudioSettings(.playback)
        case .game, .other: AudioSettings(.playback, options: .mixWithOthers)
        case .communication: AudioSettings(.playAndRecord, mode: .voiceChat)
        case .navigation, .assistant: AudioSettings(.playback, options: [.mixWithOthers, .duckOthers])
        case .notification: AudioSettings(.ambient)
        }
    }
}

package struct DevicePort: Hashable, Sendable {
    /// What the sound server calls it; `nil`: it is simulated.
    package var device: UInt64?
    package var port: AudioPort
    /// Where everything goes, or comes from, that nobody sends elsewhere.
    package var isDefault: Bool

    package init(device: UInt64?, _ port: AudioPort, isDefault: Bool = false) {
        self.device = device
        self.port = port
        self.isDefault = isDefault
    }
}

package struct PlayerDescription: Hashable, Sendable {
    package var owner: PartyID
    package var name: String
    package var nowPlaying: NowPlaying
    package var commands: Set<AudioCommandKind>

    package init(owner: PartyID, name: String, nowPlaying: NowPlaying, commands: Set<AudioCommandKind>) {
        self.owner = owner
        self.name = name
        self.nowPlaying = nowPlaying
        self.commands = commands
    }
}

package enum ToolRequest: Hashable, Sendable {
    /// To whom the controls belong.
    case command(AudioCommand)
    /// Presses of the headset's button.
    case press(Int)
    case ringer(isSilent: Bool)
    case interruption(isBegin: Bool, resumes: Bool)
    /// A device that is not there comes or goes.
    case plug(AudioPortKind)
    case unplug(AudioPortKind)
    /// By name or kind; the sound of all goes there.
    case route(String)
    case volume(Double)
    case permission(AppIdentifier, AudioPermission)
}
