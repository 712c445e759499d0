internal import AudioClient
internal import AudioDevices
internal import AudioModel
internal import Synchronization

/// Brings what an input hears to the app, as long as the audio service lets it. All of it may be used on any thread.
package final class AudioIntake: AudioClient.Player {
    package enum Event: Sendable {
        /// Interleaved.
        case samples([Float])
        /// The service made it stand still.
        case stoodStill
        /// It can record no more.
        case failed(String)
    }

    private enum Phase: Equatable {
        case idle
        case starting(Int)
        case running
    }

    private struct State: Sendable {
        var phase = Phase.idle
        var attempts = 0
        var stream: Int64?
        var input: (any AudioInput)?
    }

    /// Frames that are handed over at once, at most.
    private static let blockFrames = 4096

    package let rate: Int
    package let channels: Int
    private let home: AudioHome
    private let listener: @Sendable (Event) -> Void
    private let state = Mutex(State())
    /// One thread at a time reads.
    private let reading = Mutex(())

    /// - Parameter listener: called on any thread, with one event at a time.
    package init(_ home: AudioHome, rate: Int, channels: Int, _ listener: @escaping @Sendable (Event) -> Void) {
        (self.home, self.rate, self.channels, self.listener) = (home, rate, channels, listener)
    }

    deinit { close() }

    package var isRunning: Bool { state.withLock { $0.phase != .idle } }

    /// Waits for the service's leave, then records.
    package func start() throws {
        let attempt = state.withLock { state -> Int? in
            guard state.phase == .idle else { return nil }
            state.attempts += 1
            state.phase = .starting(state.attempts)
            return state.attempts
        }
        guard let attempt else { return }
        do {
            let stream = number
            try home.client.begin(stream)
            home.sessionIsActive()
            let input = try openedInput(stream)
            let goes = state.withLock { state in
                guard state.phase == .starting(attempt) else { return false }
                state.phase = .running
                return true
            }
            guard goes else { return home.client.pause(stream) }
            // What was said while it stood still is nobody's business.
            reading.withLock { _ in input.flush() }
            input.start()
        } catch {
            let stream = state.withLock { state in
                if state.phase == .starting(attempt) { state.phase = .idle }
                return state.stream
            }
            if let stream { home.client.pause(stream) }
            throw error
        }
    }

    private var number: Int64 {
        if let stream = state.withLock({ $0.stream }) { return stream }
        let made = home.client.makeStream(.input, for: self)
        return state.withLock { state in
            if state.stream == nil { state.stream = made }
            return state.stream ?? made
        }
    }

    private func openedInput(_ stream: Int64) throws -> any AudioInput {
        if let input = state.withLock({ $0.input }) { return input }
        let setup = AudioStreamSetup(stream: stream, name: AudioHome.name, rate: rate, channels: channels)
        let input = try home.device.openInput(setup) { [weak self] event in self?.heard(event) }
        state.withLock { $0.input = input }
        return input
    }

    package func pause() {
        let (stream, input) = becomeIdle()
        input?.pause()
        if let stream { home.client.pause(stream) }
    }

    package func standStill() {
        let wasIdle = state.withLock { $0.phase == .idle }
        let (_, input) = becomeIdle()
        input?.pause()
        if !wasIdle { listener(.stoodStill) }
    }

    private func becomeIdle() -> (Int64?, (any AudioInput)?) {
        state.withLock { state in
            state.phase = .idle
            return (state.stream, state.input)
        }
    }

    package func close() {
        let (stream, input) = state.withLock { state in
            defer { (state.phase, state.stream, state.input) = (.idle, nil, nil) }
            return (state.stream, state.input)
        }
        input?.pause()
        input?.close()
        if let stream { home.client.end(stream) }
    }

    private func heard(_ event: AudioStreamEvent) {
        switch event {
        case .ready:
            reading.withLock { _ in
                while let input = state.withLock({ $0.phase == .running ? $0.input : nil }),
                    case let samples = input.read(Self.blockFrames), !samples.isEmpty
                {
                    let isMuted = AVAudioApplication.shared.isInputMuted
                    listener(.samples(isMuted ? [Float](repeating: 0, count: samples.count) : samples))
                }
            }
        case .lost: home.server(isLost: true)
        case .back: home.server(isLost: false)
        case .failed(let why):
            pause()
            listener(.failed(why))
        }
    }
}
