internal import AudioClient
internal import AudioDevices
internal import AudioModel
internal import Synchronization

/// What a pump plays. One thread at a time calls it.
package protocol AudioSource: AnyObject, Sendable {
    /// So many frames of the pump's rate and channels, or fewer.
    func render(_ frames: Int) -> AudioBlock
}

/// A piece of what is played.
package struct AudioBlock: Sendable {
    package enum Rest: Sendable {
        case more
        /// There is nothing now. The source kicks the pump when there is.
        case waits
        case ended
    }

    /// Interleaved.
    package var samples: [Float]
    package var rest: Rest
    /// Where its first frame is in what is played, in seconds.
    package var media: Double
    /// Seconds of that which pass in one second.
    package var pace: Double

    package init(_ samples: [Float], rest: Rest = .more, media: Double = 0, pace: Double = 1) {
        self.samples = samples
        self.rest = rest
        self.media = media
        self.pace = pace
    }
}

/// Brings what a source renders to an output, as long as the audio service lets it. All of it may be used on any
/// thread.
package final class AudioPump: AudioClient.Player {
    package enum Event: Hashable, Sendable {
        /// The service made it stand still.
        case stoodStill
        /// Everything up to the source's end was heard. It is paused.
        case drained
        /// It can play no more.
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
        var output: (any AudioOutput)?
        /// The number of the frame that is written next.
        var next = 0
        var marks = HeardMarks()
        var isLost = false
        var timer: (any AudioTimer)?
        var lastCheck = -1
        var touchedAt = 0.0
        var isLong = false
    }

    /// What belongs to the thread that fills the output.
    private struct Filling: Sendable {
        var leftover: ArraySlice<Float> = []
        var rest = AudioBlock.Rest.more
    }

    private static let blockFrames = 1024
    /// Seconds that it keeps ahead: where what is played depends on what the app does now, soon after something was
    /// changed, and otherwise.
    private static let (shortest, short, long) = (0.06, 0.2, 2.0)
    /// Seconds until nothing seems to be changed any more.
    private static let calm = 10.0
    /// Seconds between two looks at a position that does not move.
    private static let patience = 0.05

    package let rate: Int
    package let channels: Int
    private let home: AudioHome
    private let source: any AudioSource
    private let isAlwaysShort: Bool
    private let listener: @Sendable (Event) -> Void
    private let state = Mutex(State())
    private let filling = Mutex(Filling())

    /// - Parameters:
    ///   - isAlwaysShort: what is played depends on what the app does now.
    ///   - listener: called on any thread.
    package init(
        _ home: AudioHome, rate: Int, channels: Int, source: any AudioSource, isAlwaysShort: Bool = false,
        _ listener: @escaping @Sendable (Event) -> Void
    ) {
        (self.home, self.rate, self.channels, self.source) = (home, rate, channels, source)
        (self.isAlwaysShort, self.listener) = (isAlwaysShort, listener)
    }

    deinit { close() }

    // MARK: Running

    package var isRunning: Bool { state.withLock { $0.phase != .idle } }

    /// Waits for the service's leave, then plays.
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
            let output = try openedOutput(stream)
            let goes = state.withLock { state in
                guard state.phase == .starting(attempt) else { return false }
                state.phase = .running
                return true
            }
            // It was paused meanwhile; if the service did that, it knows.
            guard goes else { return home.client.pause(stream) }
            fill()
            if state.withLock({ $0.phase == .running }) { output.start() }
            schedule()
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
        let made = home.client.makeStream(.output, for: self)
        return state.withLock { state in
            if state.stream == nil { state.stream = made }
            return state.stream ?? made
        }
    }

    private func openedOutput(_ stream: Int64) throws -> any AudioOutput {
        if let output = state.withLock({ $0.output }) { return output }
        let setup = AudioStreamSetup(stream: stream, name: AudioHome.name, rate: rate, channels: channels)
        let output = try home.device.openOutput(setup) { [weak self] event in self?.heard(event) }
        output.setAhead(isAlwaysShort ? Self.shortest : Self.short)
        state.withLock { state in
            state.output = output
            state.next = 0
            state.marks.anchors = []
            (state.isLong, state.touchedAt) = (false, home.device.now)
        }
        filling.withLock { $0 = Filling() }
        return output
    }

    /// What was rendered and not heard stays.
    package func pause() {
        let (stream, output) = becomeIdle()
        output?.pause()
        if let stream { home.client.pause(stream) }
    }

    package func standStill() {
        let wasIdle = state.withLock { $0.phase == .idle }
        let (_, output) = becomeIdle()
        output?.pause()
        if !wasIdle { listener(.stoodStill) }
    }

    private func becomeIdle() -> (Int64?, (any AudioOutput)?) {
        state.withLock { state in
            state.phase = .idle
            state.timer?.cancel()
            state.timer = nil
            return (state.stream, state.output)
        }
    }

    /// Gives up the output. What was rendered and not heard is lost.
    package func close() {
        let (stream, output, unheard) = state.withLock { state in
            defer {
                state.timer?.cancel()
                (state.phase, state.timer, state.output, state.stream) = (.idle, nil, nil, nil)
                (state.marks, state.next) = (HeardMarks(), 0)
            }
            return (state.stream, state.output, state.marks.waiting)
        }
        output?.pause()
        output?.close()
        filling.withLock { $0 = Filling() }
        if let stream { home.client.end(stream) }
        for one in unheard { one.body(false) }
    }

    private func heard(_ event: AudioStreamEvent) {
        switch event {
        case .ready: fill()
        case .lost:
            state.withLock { $0.isLost = true }
            home.server(isLost: true)
        case .back:
            state.withLock { $0.isLost = false }
            home.server(isLost: false)
            schedule()
        case .failed(let why):
            pause()
            listener(.failed(why))
        }
    }

    // MARK: Filling

    /// The source has something again.
    package func kick() {
        filling.withLock { if $0.rest == .waits { $0.rest = .more } }
        fill()
    }

    private func fill() {
        filling.withLock { filling in
            while let output = runningOutput() {
                if !filling.leftover.isEmpty {
                    let taken = output.write(filling.leftover)
                    state.withLock { $0.next += taken }
                    filling.leftover = filling.leftover.dropFirst(taken * channels)
                    guard filling.leftover.isEmpty else { break }
                    if filling.rest == .ended { finish(output) }
                }
                guard filling.rest == .more else { break }
                let block = source.render(Self.blockFrames)
                filling.rest = block.samples.isEmpty && block.rest == .more ? .waits : block.rest
                filling.leftover = block.samples[...]
                let position = output.position
                state.withLock { state in
                    state.marks.add(block, at: state.next, channels: channels, rate: rate, heard: position)
                }
                if block.rest == .ended, block.samples.isEmpty { finish(output) }
            }
        }
        calmDown()
        schedule()
    }

    private func runningOutput() -> (any AudioOutput)? { state.withLock { $0.phase == .running ? $0.output : nil } }

    private func finish(_ output: any AudioOutput) {
        output.finish()
        state.withLock { state in
            state.marks.wait(for: state.next) { [weak self] wasHeard in if wasHeard { self?.drained() } }
        }
    }

    private func drained() {
        pause()
        listener(.drained)
    }

    /// Keeps more ahead when nothing was changed for a while.
    private func calmDown() {
        let now = home.device.now
        let output = state.withLock { state -> (any AudioOutput)? in
            guard !isAlwaysShort, !state.isLong, now - state.touchedAt > Self.calm else { return nil }
            state.isLong = true
            return state.output
        }
        output?.setAhead(Self.long)
    }

    // MARK: Changing what is heard

    /// Something is changed that should be heard soon.
    ///
    /// - Parameter back: has the source render again from a place in what is played.
    package func touch(_ back: (Double) -> Void) {
        let now = home.device.now
        let wasLong = state.withLock { state in
            defer { (state.touchedAt, state.isLong) = (now, false) }
            return state.isLong
        }
        guard wasLong else { return }
        state.withLock { $0.output }?.setAhead(Self.short)
        let media = position
        reposition { back(media) }
    }

    /// Throws away what was rendered and not heard, then changes the source.
    package func reposition(_ change: () -> Void) {
        let unheard = filling.withLock { filling in
            filling = Filling()
            let next = state.withLock { $0.output }?.flush()
            let unheard = state.withLock { state in
                defer {
                    state.marks = HeardMarks(levels: state.marks.keepsLevels)
                    state.next = next ?? state.next
                }
                return state.marks.waiting
            }
            change()
            return unheard
        }
        for one in unheard { one.body(false) }
        fill()
    }

    // MARK: What was heard

    /// Where what is heard now is in what is played, in seconds; `nil` while nothing was rendered.
    package var heardPosition: Double? {
        state.withLock { state in
            state.output.flatMap { state.marks.media(at: $0.position, rate: rate, end: state.next) }
        }
    }

    package var position: Double { heardPosition ?? 0 }

    /// Frames that were rendered in all, and those that were heard.
    package var frames: (rendered: Int, heard: Int) {
        state.withLock { ($0.next, $0.output?.position ?? 0) }
    }

    /// Calls when a frame was heard, with true; or, with false, when it was thrown away. Called on any thread.
    package func whenHeard(_ frame: Int, _ body: @escaping @Sendable (Bool) -> Void) {
        state.withLock { $0.marks.wait(for: frame, body) }
        schedule()
    }

    /// The frame at which a place in what is played is heard, if it has been rendered.
    package func frame(ofMedia media: Double) -> Int? {
        state.withLock { $0.marks.frame(of: media, rate: rate, end: $0.next) }
    }

    package var keepsLevels: Bool {
        get { state.withLock { $0.marks.keepsLevels } }
        set { state.withLock { $0.marks.keepsLevels = newValue } }
    }

    /// How loud it is what is heard now.
    package var levels: AudioLevels? {
        state.withLock { state in state.output.flatMap { state.marks.levels(at: $0.position) } }
    }

    private func schedule() {
        state.withLock { state in
            guard state.phase == .running, !state.isLost, let frame = state.marks.first, let output = state.output
            else { return }
            let position = output.position
            let moves = position != state.lastCheck
            state.lastCheck = position
            let wait = Double(frame - position) / Double(rate)
            state.timer?.cancel()
            state.timer = home.device.later(max(wait, moves ? 0.001 : Self.patience)) { [weak self] in self?.check() }
        }
    }

    private func check() {
        let ripe = state.withLock { state in
            state.output.map { state.marks.takeHeard(upTo: $0.position) } ?? []
        }
        for one in ripe { one.body(true) }
        schedule()
    }
}
