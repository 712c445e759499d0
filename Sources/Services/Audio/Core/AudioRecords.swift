package import AudioModel
package import Model

/// What outlives the process of the service.
package enum AudioRecord: Hashable, Sendable, Codable {
    case device(DeviceRecord)
    case app(AppRecord)
    /// Whether the user lets the app use the microphone.
    case permission(AppIdentifier, AudioPermission)

    package var key: AudioRecordKey {
        switch self {
        case .device: .device
        case .app(let record): .app(record.app)
        case .permission(let app, _): .permission(app)
        }
    }
}

package enum AudioRecordKey: Hashable, Sendable {
    case device
    case app(AppIdentifier)
    case permission(AppIdentifier)
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
