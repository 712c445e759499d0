internal import AudioSimulation
public import Foundation
internal import Model
internal import Simulation

// Sound: what one hears of the device, and what people do about it. It comes to the app's code through
// `AVAudioSession`, players, recorders and `MPRemoteCommandCenter`, as on a device; what plays does so by the device's
// clock.
extension TestDevice {
    /// What sounds, and what records.
    public var audio: Audio { Audio(device: self) }

    /// What one hears of a device, and what its controls show.
    @MainActor
    public struct Audio {
        let device: TestDevice

        /// Something that is heard.
        public struct Sound: Hashable, Sendable, CustomStringConvertible {
            /// The app's name.
            public let app: String
            /// How much of what the app gives: 1 in full, less while another app speaks over it.
            public let level: Float

            /// Name and level.
            public var description: String { level == 1 ? app : "\(app) at \(level)" }
        }

        /// What the controls show: those of the lock screen and of desktops.
        public struct NowPlaying: Hashable, Sendable {
            /// The name of the app that gets what the controls ask for.
            public let app: String
            /// Whether it plays; by its sound, not by its word.
            public let isPlaying: Bool
            /// What it says of what it plays, in `MPNowPlayingInfoCenter`.
            public let title: String?
            /// Who made it.
            public let artist: String?
            /// What it is part of.
            public let album: String?
            /// How long it is, in seconds.
            public let duration: TimeInterval?
        }

        /// Everything that is heard now, by the names of the apps. What plays silence is not heard, neither is what the
        /// ringer switch silences.
        public var sounds: [Sound] {
            var levels: [String: Float] = [:]
            for stream in streams where !stream.isRecorded && stream.level * stream.gain > 0 {
                levels[name(stream.app), default: 0] = max(levels[name(stream.app)] ?? 0, stream.gain)
            }
            return levels.sorted { $0.key < $1.key }.map { Sound(app: $0.key, level: $0.value) }
        }

        /// Whether an app is heard now.
        public func isSounding(_ app: InstalledApp) -> Bool { level(of: app) > 0 }

        /// How much of what an app gives is heard now: 1 all of it, 0 nothing.
        public func level(of app: InstalledApp) -> Float { sounds.first { $0.app == app.name }?.level ?? 0 }

        /// The names of the apps that record now: those that the system shows as such.
        public var recording: [String] { Set(streams.filter(\.isRecorded).map { name($0.app) }).sorted() }

        /// Whether an app records now.
        public func isRecording(_ app: InstalledApp) -> Bool { recording.contains(app.name) }

        /// What the controls show; `nil` if nothing that can be controlled has played.
        public var nowPlaying: NowPlaying? {
            model?.controls.map { controls in
                NowPlaying(
                    app: name(controls.app), isPlaying: controls.isPlaying, title: controls.title,
                    artist: controls.artist, album: controls.album, duration: controls.duration)
            }
        }

        /// Why an app sounds, or is silent: the sentence of `greenroom audio why`.
        public func why(_ app: InstalledApp) -> String {
            device.simulated.answer(of: AudioService.name, to: "why \(device.identifier(app))") ?? ""
        }

        /// What the microphone hears from now on; silence before.
        ///
        /// - Parameter sound: samples from -1 to 1, by the seconds that a recording has run.
        public func microphoneHears(_ sound: @escaping @Sendable (TimeInterval) -> Float) {
            device.sound.microphone = sound
        }

        private var model: SimulatedAudio? {
            device.simulated.logic(AudioService.name, as: SimulatedAudio.self)
        }

        private var streams: [SimulatedStream] { model?.streams ?? [] }

        private func name(_ app: AppIdentifier?) -> String {
            guard let app else { return "a program" }
            let known = device.simulated.apps.first { $0.script.manifest.identifier == app }
            return known?.script.name ?? app.rawValue
        }
    }

    // MARK: What people do

    /// Something other than an app takes all sound, as an alarm does: everything that plays stands still, and the apps
    /// hear that an interruption began. A call does the same when it is taken: `interrupt(by: .call)` and
    /// `accept(.call)`.
    public func interruptAudio() async throws(TestDeviceError) { try await doAudio("interruption begins") }

    /// That is over. A suspended app that may go on is resumed to hear it.
    ///
    /// - Parameter shouldResume: whether the apps that were heard before may go on.
    /// - Throws: `TestDeviceError.refused` if no interruption was begun.
    public func endAudioInterruption(shouldResume: Bool = true) async throws(TestDeviceError) {
        try await doAudio("interruption ends" + (shouldResume ? "" : " for good"))
    }

    /// What a button of the lock screen, of a desktop or of a headset asks for.
    public enum RemoteCommand: Hashable, Sendable {
        /// Play, pause, or whichever of both is not so.
        case play, pause, toggle
        /// Stop.
        case stop
        /// The next track, or the one of before.
        case next, previous
        /// Begin or end to go through it quickly.
        case beginSeekingForward, endSeekingForward, beginSeekingBackward, endSeekingBackward
        /// By so many seconds.
        case skipForward(TimeInterval), skipBackward(TimeInterval)
        /// To so many seconds after the beginning.
        case seek(to: TimeInterval)

        var words: String {
            switch self {
            case .skipForward(let seconds): "skipForward \(seconds)"
            case .skipBackward(let seconds): "skipBackward \(seconds)"
            case .seek(let seconds): "seek \(seconds)"
            case .play, .pause, .toggle, .stop, .next, .previous, .beginSeekingForward, .endSeekingForward,
                .beginSeekingBackward, .endSeekingBackward:
                "\(self)"
            }
        }
    }

    /// The controls ask the app that was heard last for something; returns when it has been told. A suspended app is
    /// resumed for that, and one that was ended for its memory launched; it runs on if it plays then.
    ///
    /// - Throws: `TestDeviceError.refused` if nothing that obeys this command has played.
    public func remoteCommand(_ command: RemoteCommand) async throws(TestDeviceError) {
        try await doAudio("command \(command.words)")
    }

    /// Presses the one button of a headset: once toggles, twice is the next track, three times the one of before.
    public func pressHeadset(times: Int = 1) async throws(TestDeviceError) {
        guard (1...3).contains(times) else { throw .refused("the button is pressed once to three times") }
        try await doAudio(times == 1 ? "press" : times == 2 ? "press twice" : "press thrice")
        // Another press might belong to it.
        try await advance(by: .seconds(1))
    }

    /// What one can plug in to hear alone.
    public enum Headset: String, Hashable, Sendable, CaseIterable {
        /// With a wire.
        case headphones
        /// Without one.
        case bluetooth
        /// At a USB port.
        case usb
    }

    /// Plugs in a headset; what plays goes on there, and apps hear of the new route (`newDeviceAvailable`).
    public func plugHeadset(_ headset: Headset = .headphones) async throws(TestDeviceError) {
        try await doAudio("plug \(headset.rawValue)")
    }

    /// Takes it off; what one heard by it pauses, and apps hear of the new route (`oldDeviceUnavailable`).
    ///
    /// - Throws: `TestDeviceError.refused` if it is not plugged in.
    public func unplugHeadset(_ headset: Headset = .headphones) async throws(TestDeviceError) {
        try await doAudio("unplug \(headset.rawValue)")
    }

    /// The ringer switch silences the device, or no longer: categories that yield to it are not heard.
    public func setRingerSilent(_ isSilent: Bool) async throws(TestDeviceError) {
        try await doAudio("ringer \(isSilent ? "silent" : "on")")
    }

    /// The user lets an app use the microphone, or no longer.
    public func allowMicrophone(of app: InstalledApp, _ isAllowed: Bool = true) async throws(TestDeviceError) {
        try await doAudio("\(isAllowed ? "allow" : "deny") \(identifier(app))")
    }

    private func doAudio(_ words: String) async throws(TestDeviceError) {
        try await tell(AudioService.self, words)
        if let refusal = simulated.logic(AudioService.name, as: SimulatedAudio.self)?.refusal {
            throw .refused(refusal)
        }
    }
}
