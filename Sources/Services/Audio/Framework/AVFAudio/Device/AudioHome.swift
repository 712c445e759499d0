package import AudioClient
package import AudioDevices
internal import Foundation
internal import Synchronization

/// What audio objects of a process have in common: their end of the wire to the audio service, and what plays.
package final class AudioHome: Sendable {
    private struct Place: Sendable {
        let device: any AudioDevice
    }

    /// The app's. A simulated device replaces the sound server for it.
    package static let shared: AudioHome = {
        let home = AudioHome(.shared, device: PipeWireDevice(AudioClient.shared), substitute: .shared)
        AudioSubstitute.shared.register { home.deviceChanged() }
        return home
    }()
    /// What objects that are made now belong to; another one than `shared` in tests.
    @TaskLocal package static var current = AudioHome.shared

    package let client: AudioClient
    private let place: Mutex<Place>
    private let substitute: AudioSubstitute?
    private let sessions = Mutex<AVAudioSession?>(nil)
    private let players = Mutex(WeakPlayers())
    private let server = Mutex(ServerState())

    package init(_ client: AudioClient, device: any AudioDevice, substitute: AudioSubstitute? = nil) {
        self.client = client
        self.substitute = substitute
        place = Mutex(Place(device: device))
    }

    package var device: any AudioDevice { substitute?.device ?? place.withLock { $0.device } }

    /// Another one for all streams that are opened from now on.
    package func use(_ device: any AudioDevice) {
        place.withLock { $0 = Place(device: device) }
        deviceChanged()
    }

    private func deviceChanged() {
        if client.isActive { sessionIsActive() }
    }

    /// What the app would like of the device is asked of it from here on.
    func sessionIsActive() { sessions.withLock { $0 }?.askDevice() }

    package var session: AVAudioSession {
        let (session, isNew) = sessions.withLock { session in
            if let session { return (session, false) }
            let new = AVAudioSession(self)
            session = new
            return (new, true)
        }
        if isNew { client.use(session.listener) }
        return session
    }

    /// As mixers show what the app plays.
    static var name: String {
        Bundle.main.object(forInfoDictionaryKey: "CFBundleDisplayName") as? String
            ?? Bundle.main.object(forInfoDictionaryKey: "CFBundleName") as? String
            ?? ProcessInfo.processInfo.processName
    }

    // MARK: Interruptions

    /// It is told of interruptions. Held weakly.
    func add(_ player: any Interruptible) {
        // Only the session hears of interruptions.
        _ = session
        players.withLock { $0.add(player) }
    }

    @MainActor func tellPlayers(_ interruption: Interruption) {
        for player in players.withLock({ $0.present }) { player.interrupted(interruption) }
    }

    // MARK: The sound server

    /// A stream has lost the sound server, or has it again.
    func server(isLost: Bool) {
        let isNews = server.withLock { state in
            defer { state.isLost = isLost }
            return state.isLost != isLost
        }
        guard isNews else { return }
        DispatchQueue.main.async {
            MainActor.assumeIsolated { self.session.serverChanged(isLost: isLost) }
        }
    }
}

/// What a player is told.
enum Interruption: Sendable {
    case began
    case ended(shouldResume: Bool)
}

/// What is told of interruptions besides the notification.
protocol Interruptible: AnyObject, Sendable {
    @MainActor func interrupted(_ interruption: Interruption)
}

private struct ServerState: Sendable {
    var isLost = false
}

private struct WeakPlayers: Sendable {
    private struct Reference: Sendable {
        weak var player: (any Interruptible)?
    }

    private var references: [Reference] = []

    var present: [any Interruptible] { references.compactMap(\.player) }

    mutating func add(_ player: any Interruptible) {
        references.removeAll { $0.player == nil || $0.player === player }
        references.append(Reference(player: player))
    }
}
