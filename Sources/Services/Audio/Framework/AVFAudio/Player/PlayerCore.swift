internal import AudioClient
internal import AudioDevices
internal import Synchronization

/// What an `AVAudioPlayer` is to other threads.
final class PlayerCore: Interruptible {
    // Its delegate is called on the main thread, where it is used.
    private struct Owner: @unchecked Sendable {
        weak var player: AVAudioPlayer?
    }

    private struct State: Sendable {
        /// It waits for its moment.
        var timer: (any AudioTimer)?
        var hasEnded = false
        var wasInterrupted = false
    }

    let home: AudioHome
    let file: SoundFile
    let source: FileSource
    private let pumps = Mutex<AudioPump?>(nil)
    private let state = Mutex(State())
    private let owner = Mutex(Owner())

    init(_ file: SoundFile) {
        home = AudioHome.current
        self.file = file
        source = FileSource(file)
        home.add(self)
    }

    func own(_ player: AVAudioPlayer) { owner.withLock { $0.player = player } }

    var pump: AudioPump {
        pumps.withLock { pump in
            if let pump { return pump }
            let new = AudioPump(home, rate: source.rate, channels: source.channels, source: source) {
                [weak self] event in self?.heard(event)
            }
            pump = new
            return new
        }
    }

    // MARK: Playing

    var isPlaying: Bool { pump.isRunning || state.withLock { $0.timer != nil } }

    func play() -> Bool {
        cancelTimer()
        let restarts = state.withLock { state in
            defer { (state.hasEnded, state.wasInterrupted) = (false, false) }
            return state.hasEnded
        }
        if restarts { pump.reposition { source.rewind() } }
        do {
            try pump.start()
            return pump.isRunning
        } catch {
            return false
        }
    }

    func play(at time: Double) -> Bool {
        let wait = time - home.device.now
        guard wait > 0 else { return play() }
        cancelTimer()
        let timer = home.device.later(wait) { [weak self] in _ = self?.play() }
        state.withLock { $0.timer = timer }
        return true
    }

    private func cancelTimer() {
        let timer = state.withLock { state in
            defer { state.timer = nil }
            return state.timer
        }
        timer?.cancel()
    }

    func pause() {
        cancelTimer()
        pump.pause()
    }

    func stop() {
        cancelTimer()
        let position = pump.heardPosition
        pump.close()
        if let position { source.seek(to: position) }
    }

    var currentTime: Double {
        get { state.withLock { $0.hasEnded } ? 0 : pump.heardPosition ?? source.position }
        set {
            let place = newValue.isFinite ? max(0, min(newValue, source.duration)) : 0
            state.withLock { $0.hasEnded = false }
            pump.reposition { source.seek(to: place) }
        }
    }

    /// Changes how it sounds, soon.
    func change(_ body: (FileSource) -> Void) {
        pump.touch { source.seek(to: $0) }
        body(source)
    }

    // MARK: Events

    private func heard(_ event: AudioPump.Event) {
        switch event {
        case .stoodStill: state.withLock { $0.wasInterrupted = true }
        case .drained:
            let failure = source.failure
            state.withLock { $0.hasEnded = true }
            tell { player, delegate in
                if let failure {
                    let error = SoundFile.error(SoundFileError(.broken, "the sound cannot be decoded: \(failure)"))
                    delegate.audioPlayerDecodeErrorDidOccur(player, error: error)
                }
                delegate.audioPlayerDidFinishPlaying(player, successfully: failure == nil)
            }
        case .failed:
            tell { player, delegate in delegate.audioPlayerDidFinishPlaying(player, successfully: false) }
        }
    }

    @MainActor func interrupted(_ interruption: Interruption) {
        guard let player = owner.withLock({ $0.player }) else { return }
        switch interruption {
        case .began:
            if state.withLock({ $0.wasInterrupted }) { player.delegate?.audioPlayerBeginInterruption(player) }
        case .ended(let shouldResume):
            let wasInterrupted = state.withLock { state in
                defer { state.wasInterrupted = false }
                return state.wasInterrupted
            }
            guard wasInterrupted else { return }
            player.delegate?.audioPlayerEndInterruption(player, withOptions: shouldResume ? 1 : 0)
        }
    }

    private func tell(_ call: @escaping @MainActor @Sendable (AVAudioPlayer, any AVAudioPlayerDelegate) -> Void) {
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                guard let player = self.owner.withLock({ $0.player }), let delegate = player.delegate else { return }
                call(player, delegate)
            }
        }
    }
}
