package import AudioModel
package import Model

/// What the shell is to do, in this order.
package enum AudioEffect: Hashable, Sendable {
    /// Durable before anything that follows.
    case store(AudioRecord)
    case erase(AudioRecordKey)

    // Apps.
    case reply(RequestID, AudioReply)
    case refuse(RequestID, AudioRefusal)
    /// Answered by `answered`. It waits in the app's connection while that cannot read.
    case tell(ConnectionID, NewsNumber, AudioNews)
    case surround(ConnectionID, AudioSurroundings)

    // The system.
    /// Answered by `held`.
    case hold(AppIdentifier, process: Int64, AudioHold, because: String)
    case drop(AppIdentifier, process: Int64, AudioHold, because: String)
    case stopped(OrderID)
    /// It is told over its connection, up to this number. Answered by `woken`.
    case wake(AppIdentifier, upTo: NewsNumber, because: String)

    // The sound server.
    /// Answered by `permitted`, also where the node is gone.
    case permit(NodeID, Bool, OrderID)
    case setGain(NodeID, Float, over: Span)
    case move(NodeID, toDevice: UInt64?)
    /// Answered by `level`.
    case meter(NodeID, Span)
    case setVolume(Double)
    case setDefault(device: UInt64)

    // Players on the desktop's bus.
    /// Answered by `controlled`.
    case control(PlayerID, AudioCommand, OrderID)
    case publish(AppIdentifier, PublishedPlayer)
    case unpublish(AppIdentifier)

    /// For the log, and for those who ask.
    case report(AudioReport)
}

extension AudioEffect {
    package var isRecord: Bool {
        switch self {
        case .store, .erase: true
        default: false
        }
    }
}

package enum AudioReply: Hashable, Sendable {
    case done
    case hello(AudioSurroundings)
    case permission(AudioPermission)
    /// Whom a command reached.
    case target(String)
    case status(AudioCommandStatus)
}

/// An app as the desktop sees it.
package struct PublishedPlayer: Hashable, Sendable {
    package var name: String
    package var nowPlaying: NowPlaying
    package var isPlaying: Bool
    package var commands: Set<AudioCommandKind>
}

/// Why a request was refused.
package enum AudioRefusal: Error, Hashable, Sendable {
    /// Nothing was said before on this connection.
    case notGreeted
    case invalid(String)
    /// A call, or something else that interrupts, goes before.
    case insufficientPriority
    /// Another app sounds, and this one is not on the screen.
    case cannotInterruptOthers
    /// It is not on the screen, and has no right to sound there.
    case cannotStartPlaying(String)
    case cannotStartRecording(String)
    case noPermission
    /// Something of the app still ran; the session is not active any more all the same.
    case isBusy
    case noSuchStream
    case tooManyStreams
    case noPlayer
    case playerDoesNot(String, AudioCommandKind)
    case notWoken(String)
    case noSuchRoute(String)
    case noSuchApp
    case nothingToEnd

    package var sentence: String {
        switch self {
        case .notGreeted: "hello comes first"
        case .invalid(let sentence): sentence
        case .insufficientPriority: "a call or another interruption is under way: try again when it has ended"
        case .cannotInterruptOthers:
            "another app plays, and this one is not on the screen: it may mix (mixWithOthers), or play when it is opened"
        case .cannotStartPlaying(let sentence), .cannotStartRecording(let sentence): sentence
        case .noPermission: "the user does not let this app use the microphone: greenroom audio allow APP changes that"
        case .isBusy: "a player or recorder of the app still ran when its session was deactivated: stop it before"
        case .noSuchStream: "the app has announced no such stream"
        case .tooManyStreams: "an app has so many streams already that it gets no more: stop some of them"
        case .noPlayer: "no app has played anything that can be controlled"
        case .playerDoesNot(let name, let command): "\(name) does not take the command \(command.rawValue)"
        case .notWoken(let name): "\(name) cannot be woken now: open it"
        case .noSuchRoute(let name): "there is no route \(name): greenroom audio status lists them"
        case .noSuchApp: "no such app has used audio"
        case .nothingToEnd: "no interruption was begun"
        }
    }
}

/// What a person may want to know, and no one asked for.
package enum AudioReport: Hashable, Sendable {
    /// It claimed to play, and nothing was to be heard for so long.
    case silent(PartyID, Span)
    /// It was told something and did not come to it.
    case untold(AppIdentifier, AudioNews)
    case notWoken(AppIdentifier, AudioNews)
    /// A stream that runs although its app was told to stop.
    case stubborn(PartyID)
}

/// What outlives the process of the service.
package enum AudioRecord: Hashable, Sendable, Codable {
    case device(DeviceRecord)
    case app(AppRecord)

    package var key: AudioRecordKey {
        switch self {
        case .device: .device
        case .app(let record): .app(record.app)
        }
    }
}

package enum AudioRecordKey: Hashable, Sendable {
    case device
    case app(AppIdentifier)
}

package struct DeviceRecord: Hashable, Sendable, Codable {
    package var isSilent = false
    /// Simulated ports that are plugged in.
    package var plugged: [AudioPortKind] = []
    /// How often somebody has begun to play; orders the players.
    package var plays: UInt64 = 0

    package init() {}
}

package struct AppRecord: Hashable, Sendable, Codable {
    package var app: AppIdentifier
    package var name = ""
    package var hasKey = false
    package var permission = AudioPermission.undetermined
    package var commands: Set<AudioCommandKind> = []
    package var wantsEvents = false
    package var nowPlaying = NowPlaying()
    /// When it played last, counted in plays; zero: never.
    package var lastPlay: UInt64 = 0
    /// What the system holds for it, and for which of its processes.
    package var holds: Set<AudioHold> = []
    package var process: Int64 = 0
    package var isProgram = false
    /// Its process that is interrupted.
    package var interruption: Interruption?

    package init(_ app: AppIdentifier) { self.app = app }

    /// It obeys somebody.
    package var isControllable: Bool { wantsEvents || !commands.isEmpty }
}
