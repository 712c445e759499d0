internal import AudioClient
internal import AudioDevices
internal import Synchronization

/// What an `AVAudioRecorder` is to other threads.
final class RecorderCore: Interruptible {
    // Its delegate is called on the main thread, where it is used.
    private struct Owner: @unchecked Sendable {
        weak var recorder: AVAudioRecorder?
    }

    private struct State: Sendable {
        var file: SoundFile?
        var intake: AudioIntake?
        var timer: (any AudioTimer)?
        var frames = 0
        /// The recording ends with this frame.
        var end: Int?
        var wasInterrupted = false
        var keepsLevels = false
        var levels: AudioLevels?
    }

    let home: AudioHome
    let url: URL
    let kind: SoundKind
    let rate: Int
    let channels: Int
    private let bitRate: Int
    private let state = Mutex(State())
    private let owner = Mutex(Owner())

    init(_ url: URL, _ kind: SoundKind, rate: Int, channels: Int, bitRate: Int) {
        home = AudioHome.current
        (self.url, self.kind, self.rate, self.channels, self.bitRate) = (url, kind, rate, channels, bitRate)
        home.add(self)
    }

    deinit { state.withLock { $0.file }?.close() }

    func own(_ recorder: AVAudioRecorder) { owner.withLock { $0.recorder = recorder } }

    // MARK: Recording

    var isRecording: Bool { state.withLock { $0.timer != nil || $0.intake?.isRunning == true } }
    var currentTime: Double { state.withLock { $0.file == nil ? 0 : Double($0.frames) / Double(rate) } }

    func prepare() -> Bool {
        if state.withLock({ $0.file != nil }) { return true }
        let file = try? SoundFile.create(url, kind: kind, rate: rate, channels: channels, bitRate: bitRate)
        guard let file else { return false }
        state.withLock { ($0.file, $0.frames, $0.end) = (file, 0, nil) }
        return true
    }

    func record(at time: Double?, seconds: Double?) -> Bool {
        guard prepare() else { return false }
        cancelTimer()
        state.withLock { state in
            state.end = seconds.map { state.frames + Int(max(0, min($0, 1e6)) * Double(rate)) }
            state.wasInterrupted = false
        }
        let wait = time.map { $0 - home.device.now } ?? 0
        guard wait > 0 else { return begin() }
        let timer = home.device.later(wait) { [weak self] in
            self?.cancelTimer()
            _ = self?.begin()
        }
        state.withLock { $0.timer = timer }
        return true
    }

    private func begin() -> Bool {
        let intake = state.withLock { state in
            if let intake = state.intake { return intake }
            let intake = AudioIntake(home, rate: rate, channels: channels) { [weak self] in self?.heard($0) }
            state.intake = intake
            return intake
        }
        do {
            try intake.start()
            return intake.isRunning
        } catch {
            return false
        }
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
        state.withLock { $0.intake }?.pause()
    }

    func stop() { finish(isWhole: true) }

    private func finish(isWhole: Bool) {
        cancelTimer()
        let (file, intake) = state.withLock { state in
            defer { (state.file, state.intake, state.levels) = (nil, nil, nil) }
            return (state.file, state.intake)
        }
        intake?.close()
        guard let file else { return }
        let isWhole = file.close() && isWhole
        tell { recorder, delegate in
            if !isWhole {
                let error = SoundFileError(.cannotWrite, "\(recorder.url.path) could not be written to its end")
                delegate.audioRecorderEncodeErrorDidOccur(recorder, error: SoundFile.error(error))
            }
            delegate.audioRecorderDidFinishRecording(recorder, successfully: isWhole)
        }
    }

    func deleteRecording() -> Bool {
        guard state.withLock({ $0.file == nil }) else { return false }
        return (try? FileManager.default.removeItem(at: url)) != nil
    }

    // MARK: Meters

    var keepsLevels: Bool {
        get { state.withLock { $0.keepsLevels } }
        set { state.withLock { $0.keepsLevels = newValue } }
    }

    var levels: AudioLevels? { state.withLock { $0.levels } }

    // MARK: Events

    private enum Outcome { case goesOn, isFull, failed }

    private func heard(_ event: AudioIntake.Event) {
        switch event {
        case .samples(let samples):
            switch write(samples) {
            case .goesOn: break
            // Elsewhere: the stream is closed, which may not happen while it is read.
            case .isFull: DispatchQueue.main.async { self.finish(isWhole: true) }
            case .failed: DispatchQueue.main.async { self.finish(isWhole: false) }
            }
        case .stoodStill: state.withLock { $0.wasInterrupted = true }
        case .failed: finish(isWhole: false)
        }
    }

    private func write(_ samples: [Float]) -> Outcome {
        state.withLock { state in
            guard let file = state.file else { return .goesOn }
            let count = samples.count / channels
            let wanted = state.end.map { max(0, min(count, $0 - state.frames)) } ?? count
            guard wanted > 0 else { return .goesOn }
            let written = file.write(Array(samples.prefix(wanted * channels)))
            state.frames += written
            if state.keepsLevels { state.levels = AudioLevels(samples, channels: channels) }
            if written < wanted { return .failed }
            return state.frames == state.end ? .isFull : .goesOn
        }
    }

    @MainActor func interrupted(_ interruption: Interruption) {
        guard let recorder = owner.withLock({ $0.recorder }) else { return }
        switch interruption {
        case .began:
            if state.withLock({ $0.wasInterrupted }) { recorder.delegate?.audioRecorderBeginInterruption(recorder) }
        case .ended(let shouldResume):
            let wasInterrupted = state.withLock { state in
                defer { state.wasInterrupted = false }
                return state.wasInterrupted
            }
            guard wasInterrupted else { return }
            recorder.delegate?.audioRecorderEndInterruption(recorder, withOptions: shouldResume ? 1 : 0)
        }
    }

    private func tell(_ call: @escaping @MainActor @Sendable (AVAudioRecorder, any AVAudioRecorderDelegate) -> Void) {
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                guard let recorder = self.owner.withLock({ $0.recorder }), let delegate = recorder.delegate
                else { return }
                call(recorder, delegate)
            }
        }
    }
}
