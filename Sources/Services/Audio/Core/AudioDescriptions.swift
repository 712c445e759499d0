package import AudioModel
package import Model

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

/// What a tool asks for.
package enum AudioOrder: Hashable, Sendable {
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
