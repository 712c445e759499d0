internal import AudioCore
internal import AudioModel
package import Model

/// A stream that reaches the sound server and is not taken down.
package struct SimulatedStream: Hashable, Sendable {
    /// Whose it is; `nil`: of a program that is none of the apps.
    package let app: AppIdentifier?
    /// Its number, where the app gave it one.
    package let stream: Int64?
    package let isRecorded: Bool
    /// How loud its samples are.
    package let level: Float
    /// What is left of that: 1 in full, 0 nothing.
    package let gain: Float
}

/// What controls show.
package struct SimulatedControls: Hashable, Sendable {
    package let app: AppIdentifier?
    package let isPlaying: Bool
    package let title, artist, album: String?
    package let duration, elapsed: Double?
}

// For whoever has the real samples, or wants to know more than words say.
extension SimulatedAudio {
    package var streams: [SimulatedStream] {
        facts.orderedNodes.map(\.value).filter(isLinked).map { node in
            SimulatedStream(
                app: node.owner.app, stream: node.stream, isRecorded: node.direction == .input, level: node.level,
                gain: node.gain)
        }
    }

    /// Whose the controls are; `nil`: nobody has played anything that obeys.
    package var controls: SimulatedControls? {
        guard let target = system.target else { return nil }
        let status = system.status.players.first { $0.id == target }
        let playing = status?.nowPlaying
        return SimulatedControls(
            app: target.app, isPlaying: system.isPlaying(target), title: playing?.title, artist: playing?.artist,
            album: playing?.album, duration: playing?.duration, elapsed: playing?.elapsed)
    }

    /// How loud the samples of an app's stream are from now on.
    package mutating func measured(_ level: Float, of stream: Int64, _ app: AppIdentifier) {
        guard let node = facts.node(of: .app(app), stream) else { return }
        facts.nodes[node]?.level = level
    }

    /// Why what people did last was refused, if it was.
    package var refusal: String? { refusedDeed?.sentence }
}
