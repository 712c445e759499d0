internal import AudioClient
internal import Synchronization

/// What an `AVSpeechSynthesizer` is to other threads.
final class SpeechCore: Sendable {
    // Its delegate is called on the main thread, where it is used.
    private struct Owner: @unchecked Sendable {
        weak var synthesizer: AVSpeechSynthesizer?
    }

    private enum Boundary { case pause, stop }

    private struct State: Sendable {
        var queue: [AVSpeechUtterance] = []
        var current: AVSpeechUtterance?
        var isPaused = false
        /// What happens before the next word.
        var atWord: Boundary?
        var pump: AudioPump?
        var source: SpeechSource?
    }

    private let home = AudioHome.current
    private let state = Mutex(State())
    private let owner = Mutex(Owner())

    func own(_ synthesizer: AVSpeechSynthesizer) { owner.withLock { $0.synthesizer = synthesizer } }

    var isSpeaking: Bool { state.withLock { $0.current != nil || !$0.queue.isEmpty } }
    var isPaused: Bool { state.withLock { $0.isPaused } }

    static func complain() {
        try? FileHandle.standardError.write(contentsOf: Data("AVSpeechSynthesizer: \(SpeechLibrary.hint)\n".utf8))
    }

    // MARK: Asking

    func speak(_ utterance: AVSpeechUtterance) {
        let begins = state.withLock { state in
            state.queue.append(utterance)
            return state.current == nil && !state.isPaused
        }
        if begins { next() }
    }

    func pause(at boundary: AVSpeechBoundary) -> Bool {
        let (utterance, pump) = state.withLock { state -> (AVSpeechUtterance?, AudioPump?) in
            guard let current = state.current, !state.isPaused else { return (nil, nil) }
            if boundary == .word {
                state.atWord = .pause
                return (current, nil)
            }
            state.isPaused = true
            return (current, state.pump)
        }
        guard let utterance else { return false }
        if let pump {
            pump.pause()
            tell { $1.speechSynthesizer($0, didPause: utterance) }
        }
        return true
    }

    func goOn() -> Bool {
        let (wasPaused, utterance, pump) = state.withLock { state in
            defer { (state.isPaused, state.atWord) = (false, nil) }
            return (state.isPaused, state.current, state.pump)
        }
        guard wasPaused else { return false }
        guard let utterance, let pump else {
            next()
            return true
        }
        do {
            try pump.start()
            tell { $1.speechSynthesizer($0, didContinue: utterance) }
            return true
        } catch {
            state.withLock { $0.isPaused = true }
            return false
        }
    }

    func stop(at boundary: AVSpeechBoundary) -> Bool {
        let (dropped, pump, source) = state.withLock { state -> ([AVSpeechUtterance], AudioPump?, SpeechSource?) in
            let all = [state.current].compactMap { $0 } + state.queue
            if boundary == .word, state.current != nil, !state.isPaused {
                state.atWord = .stop
                return (all, nil, nil)
            }
            (state.current, state.queue, state.isPaused, state.atWord) = (nil, [], false, nil)
            return (all, state.pump, state.source)
        }
        guard !dropped.isEmpty else { return false }
        guard let pump, let source else { return true }
        cancel(dropped, pump, source)
        return true
    }

    private func cancel(_ dropped: [AVSpeechUtterance], _ pump: AudioPump, _ source: SpeechSource) {
        pump.pause()
        pump.reposition { source.load(nil) }
        for utterance in dropped { tell { $1.speechSynthesizer($0, didCancel: utterance) } }
    }

    // MARK: Speaking

    private func next() {
        let utterance = state.withLock { state -> AVSpeechUtterance? in
            guard state.current == nil, !state.isPaused, !state.queue.isEmpty else { return nil }
            let first = state.queue.removeFirst()
            state.current = first
            return first
        }
        guard let utterance else { return }
        guard let (pump, source) = spoken() else {
            Self.complain()
            return giveUp()
        }
        pump.reposition { source.load(utterance) }
        do {
            try pump.start()
            tell { $1.speechSynthesizer($0, didStart: utterance) }
        } catch {
            giveUp()
        }
    }

    /// The service, or the library, does not let it speak.
    private func giveUp() {
        let dropped = state.withLock { state in
            defer { (state.current, state.queue) = (nil, []) }
            return [state.current].compactMap { $0 } + state.queue
        }
        for utterance in dropped { tell { $1.speechSynthesizer($0, didCancel: utterance) } }
    }

    private func spoken() -> (AudioPump, SpeechSource)? {
        guard let rate = SpeechLibrary.rate else { return nil }
        return state.withLock { state in
            if let pump = state.pump, let source = state.source { return (pump, source) }
            let source = SpeechSource(rate: rate) { [weak self] in self?.word($0, $1, $2) }
            let pump = AudioPump(home, rate: rate, channels: 1, source: source) { [weak self] in self?.heard($0) }
            (state.pump, state.source) = (pump, source)
            return (pump, source)
        }
    }

    /// A word was rendered, that begins so many frames later.
    private func word(_ utterance: AVSpeechUtterance, _ range: NSRange, _ frames: Int) {
        guard let pump = state.withLock({ $0.pump }) else { return }
        pump.whenHeard(pump.frames.rendered + frames) { [weak self] wasHeard in
            if wasHeard { self?.begins(utterance, range) }
        }
    }

    private func begins(_ utterance: AVSpeechUtterance, _ range: NSRange) {
        let boundary = state.withLock { state in
            guard state.current === utterance else { return nil as Boundary? }
            defer { state.atWord = nil }
            return state.atWord
        }
        switch boundary {
        case .pause: _ = pause(at: .immediate)
        case .stop: _ = stop(at: .immediate)
        case nil: tell { $1.speechSynthesizer($0, willSpeakRangeOfSpeechString: range, utterance: utterance) }
        }
    }

    private func heard(_ event: AudioPump.Event) {
        switch event {
        case .drained:
            let utterance = state.withLock { state in
                defer { (state.current, state.atWord) = (nil, nil) }
                return state.current
            }
            if let utterance { tell { $1.speechSynthesizer($0, didFinish: utterance) } }
            next()
        case .stoodStill:
            let utterance = state.withLock { state in
                state.isPaused = state.current != nil
                return state.current
            }
            if let utterance { tell { $1.speechSynthesizer($0, didPause: utterance) } }
        case .failed: giveUp()
        }
    }

    private func tell(
        _ call: @escaping @MainActor @Sendable (AVSpeechSynthesizer, any AVSpeechSynthesizerDelegate) -> Void
    ) {
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                guard let synthesizer = self.owner.withLock({ $0.synthesizer }), let delegate = synthesizer.delegate
                else { return }
                call(synthesizer, delegate)
            }
        }
    }
}
