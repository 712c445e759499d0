internal import Synchronization

/// Plays and records without a sound server, by a clock that stands until it is advanced. What happens happens on the
/// thread that advances it, in the order of its time.
package final class ClockedDevice: AudioDevice {
    private struct Due: Sendable {
        let time: Double
        let number: Int
        let body: @Sendable () -> Void
    }

    private struct State: Sendable {
        var now = 0.0
        var next = 0
        var timers: [Int: Due] = [:]
        var outputs: [ClockedOutput] = []
        var inputs: [ClockedInput] = []
        var isGone = false
        var rate: Int
        var period: Int
        var preference = AudioPreference()
    }

    private final class Timer: AudioTimer {
        private let number: Int
        private let device: ClockedDevice

        init(_ number: Int, _ device: ClockedDevice) { (self.number, self.device) = (number, device) }

        func cancel() { _ = device.state.withLock { $0.timers.removeValue(forKey: number) } }
    }

    /// Frames that it works on at once while no app has a wish, and the fewest and most: those of PipeWire.
    private static let (usualPeriod, periods) = (1024, 32...2048)

    private let state: Mutex<State>
    package let latency = 0.0
    /// The first is the one that it has while no app has a wish.
    private let rates: [Int]
    /// Seconds that outputs keep ahead, whatever is asked of them.
    package let ahead: Double?
    private let keepsSamples: Bool

    /// - Parameters:
    ///   - rate: frames per second that it works with while no app has a wish.
    ///   - otherRates: those that it can work with besides.
    ///   - keepsSamples: whether `ClockedOutput.heard` has what was heard.
    package init(rate: Int = 48_000, otherRates: [Int] = [], ahead: Double? = nil, keepsSamples: Bool = true) {
        rates = [rate] + otherRates
        state = Mutex(State(rate: rate, period: Self.usualPeriod))
        (self.ahead, self.keepsSamples) = (ahead, keepsSamples)
    }

    package var now: Double { state.withLock { $0.now } }
    package var rate: Int { state.withLock { $0.rate } }
    package var period: Int { state.withLock { $0.period } }

    /// As a sound server does with its only client: a rate that it may have, and the next lower power of two of frames.
    package func prefer(_ preference: AudioPreference) {
        state.withLock { state in
            state.preference = preference
            state.rate = preference.rate.flatMap { rates.contains($0) ? $0 : nil } ?? rates[0]
            let wish = preference.frames(state.rate) ?? Self.usualPeriod
            let within = max(Self.periods.lowerBound, min(wish, Self.periods.upperBound))
            state.period = 1 << (Int.bitWidth - 1 - within.leadingZeroBitCount)
        }
    }

    /// Frames of so many per second after which what was recorded is handed over.
    func inputPeriod(_ rate: Int) -> Int {
        let usual = ClockedInput.period
        return min(usual, state.withLock { $0.preference.frames(rate) } ?? usual)
    }

    /// All that were opened and are not closed, in their order.
    package var outputs: [ClockedOutput] { state.withLock { $0.outputs } }
    package var inputs: [ClockedInput] { state.withLock { $0.inputs } }

    package func later(_ seconds: Double, _ body: @escaping @Sendable () -> Void) -> any AudioTimer {
        let number = state.withLock { state in
            state.next += 1
            let due = Due(time: state.now + max(0, seconds), number: state.next, body: body)
            state.timers[state.next] = due
            return state.next
        }
        return Timer(number, self)
    }

    package func openOutput(
        _ setup: AudioStreamSetup, _ listener: @escaping Listener
    ) throws -> any AudioOutput {
        let output = ClockedOutput(setup, self, keepsSamples: keepsSamples, listener)
        state.withLock { $0.outputs.append(output) }
        return output
    }

    package func openInput(_ setup: AudioStreamSetup, _ listener: @escaping Listener) throws -> any AudioInput {
        let input = ClockedInput(setup, self, listener)
        state.withLock { $0.inputs.append(input) }
        return input
    }

    func forget(_ output: ClockedOutput) { state.withLock { $0.outputs.removeAll { $0 === output } } }
    func forget(_ input: ClockedInput) { state.withLock { $0.inputs.removeAll { $0 === input } } }

    /// The sound server goes, or comes again.
    package func setServer(isThere: Bool) {
        let outputs = state.withLock { state in
            state.isGone = !isThere
            return state.outputs
        }
        for output in outputs { output.tell(isThere ? .back : .lost) }
    }

    /// The earliest moment at which something happens, if any.
    package var nextMoment: Double? {
        let (timer, now, outputs, inputs, isGone) = state.withLock { state in
            (state.timers.values.map(\.time).min(), state.now, state.outputs, state.inputs, state.isGone)
        }
        let streams = isGone ? [] : outputs.compactMap(\.wait) + inputs.compactMap(\.wait)
        return ([timer].compactMap { $0 } + streams.map { now + $0 }).min()
    }

    package func advance(by seconds: Double) { advance(to: now + seconds) }

    /// Up to a moment, with all that happens until then.
    package func advance(to end: Double) {
        while true {
            let moment = min(end, max(nextMoment ?? end, now))
            pass(to: moment)
            let due = state.withLock { state in
                let ripe = state.timers.values.filter { $0.time <= moment }
                guard let first = ripe.min(by: { ($0.time, $0.number) < ($1.time, $1.number) }) else {
                    return nil as Due?
                }
                state.timers[first.number] = nil
                return first
            }
            if let due {
                due.body()
            } else if moment >= end {
                return
            }
        }
    }

    /// To a moment, without anything of what would have happened until then: the process stood still. What is overdue
    /// happens there.
    package func sleep(to end: Double) {
        for output in outputs { output.isLinked = false }
        for input in inputs { input.isLinked = false }
        pass(to: end)
        advance(to: end)
    }

    private func pass(to moment: Double) {
        let (span, outputs, inputs) = state.withLock { state in
            let span = state.isGone ? 0 : moment - state.now
            state.now = max(state.now, moment)
            return (span, state.outputs, state.inputs)
        }
        for output in outputs { output.pass(span) }
        for input in inputs { input.pass(span) }
    }
}

/// Hears what is written by the clock of its device.
package final class ClockedOutput: AudioOutput {
    private struct State: Sendable {
        var isRunning = false
        var waiting: [Float] = []
        /// Of a frame: what has passed and is less than one.
        var fraction = 0.0
        var position = 0
        var heard: [Float] = []
        var isFinished = false
        var capacity: Int
        var hasAsked = true
        var misses = 0
        var isLinked = true
        /// What was heard last, for `level`.
        var latest: ArraySlice<Float> = []
    }

    /// Seconds that are measured.
    private static let measured = 0.25

    package let setup: AudioStreamSetup
    private let device: ClockedDevice
    private let keepsSamples: Bool
    private let listener: AudioDevice.Listener
    private let state: Mutex<State>

    init(
        _ setup: AudioStreamSetup, _ device: ClockedDevice, keepsSamples: Bool,
        _ listener: @escaping AudioDevice.Listener
    ) {
        (self.setup, self.device, self.keepsSamples, self.listener) = (setup, device, keepsSamples, listener)
        state = Mutex(State(capacity: max(1, Int((device.ahead ?? 0.5) * Double(setup.rate)))))
    }

    package var isRunning: Bool { state.withLock { $0.isRunning } }
    /// What was heard, interleaved.
    package var heard: [Float] { state.withLock { $0.heard } }
    /// How often there was nothing to hear where there should have been.
    package var misses: Int { state.withLock { $0.misses } }
    package var position: Int { state.withLock { $0.position } }

    /// It reaches the sound server. Without that it stands still.
    package var isLinked: Bool {
        get { state.withLock { $0.isLinked } }
        set { state.withLock { $0.isLinked = newValue } }
    }
    /// The peak of what was heard last; `nil`: nothing yet.
    package var level: Float? { state.withLock { $0.latest.isEmpty ? nil : $0.latest.reduce(0) { max($0, abs($1)) } } }

    package func start() { state.withLock { $0.isRunning = true } }
    package func pause() { state.withLock { $0.isRunning = false } }

    package func setAhead(_ seconds: Double) {
        guard device.ahead == nil else { return }
        state.withLock { $0.capacity = max(1, Int(seconds * Double(setup.rate))) }
    }

    package func finish() { state.withLock { $0.isFinished = true } }

    package func flush() -> Int {
        state.withLock { state in
            state.waiting = []
            return state.position
        }
    }

    package func write(_ samples: ArraySlice<Float>) -> Int {
        state.withLock { state in
            let room = state.capacity - state.waiting.count / setup.channels
            let frames = max(0, min(room, samples.count / setup.channels))
            state.waiting += samples.prefix(frames * setup.channels)
            if frames > 0 { (state.hasAsked, state.isFinished) = (false, false) }
            return frames
        }
    }

    package func close() {
        pause()
        device.forget(self)
    }

    /// Seconds until it asks for more, or is empty.
    var wait: Double? {
        state.withLock { state in
            let frames = state.waiting.count / setup.channels
            guard state.isRunning, state.isLinked, frames > 0 else { return nil }
            let ask = state.isFinished || state.hasAsked ? frames : max(1, frames - state.capacity / 2)
            // A little later, so that rounding does not leave a frame.
            return (Double(ask) - state.fraction + 1e-6) / Double(setup.rate)
        }
    }

    func tell(_ event: AudioStreamEvent) { listener(event) }

    func pass(_ seconds: Double) {
        let asks = state.withLock { state in
            guard state.isRunning, state.isLinked, seconds > 0 else { return false }
            let exact = seconds * Double(setup.rate) + state.fraction
            let passed = Int(exact)
            state.fraction = exact - Double(passed)
            let frames = min(passed, state.waiting.count / setup.channels)
            if keepsSamples { state.heard += state.waiting.prefix(frames * setup.channels) }
            state.latest += state.waiting.prefix(frames * setup.channels)
            state.latest = state.latest.suffix(Int(Self.measured * Double(setup.rate)) * setup.channels)
            state.waiting.removeFirst(frames * setup.channels)
            state.position += frames
            if frames < passed, state.position > 0, !state.isFinished { state.misses += 1 }
            guard !state.hasAsked, state.waiting.count / setup.channels <= state.capacity / 2 else { return false }
            state.hasAsked = true
            return true
        }
        if asks { listener(.ready) }
    }
}

/// Records what it is given to hear, by the clock of its device.
package final class ClockedInput: AudioInput {
    private struct State: Sendable {
        var isRunning = false
        var isLinked = true
        var waiting: [Float] = []
        var fraction = 0.0
        var position = 0
    }

    /// Frames from one reading to the next, unless the app wants them sooner.
    static let period = 480

    package let setup: AudioStreamSetup
    private let device: ClockedDevice
    private let listener: AudioDevice.Listener
    private let state = Mutex(State())
    private let sound = Mutex<@Sendable (Int) -> Float>({ _ in 0 })

    init(_ setup: AudioStreamSetup, _ device: ClockedDevice, _ listener: @escaping AudioDevice.Listener) {
        (self.setup, self.device, self.listener) = (setup, device, listener)
    }

    package var isRunning: Bool { state.withLock { $0.isRunning } }

    /// It reaches the sound server. Without that it hears nothing.
    package var isLinked: Bool {
        get { state.withLock { $0.isLinked } }
        set { state.withLock { $0.isLinked = newValue } }
    }

    /// What there is to hear, by the number of the frame; the same in all channels.
    package func hear(_ sound: @escaping @Sendable (Int) -> Float) { self.sound.withLock { $0 = sound } }

    package func start() { state.withLock { $0.isRunning = true } }
    package func pause() { state.withLock { $0.isRunning = false } }
    package func flush() { state.withLock { $0.waiting = [] } }

    package func read(_ frames: Int) -> [Float] {
        state.withLock { state in
            let taken = Array(state.waiting.prefix(frames * setup.channels))
            state.waiting.removeFirst(taken.count)
            return taken
        }
    }

    package func close() {
        pause()
        device.forget(self)
    }

    var wait: Double? {
        let period = device.inputPeriod(setup.rate)
        return state.withLock { state in
            let isHeard = state.isRunning && state.isLinked
            return isHeard ? (Double(period) - state.fraction + 1e-6) / Double(setup.rate) : nil
        }
    }

    func pass(_ seconds: Double) {
        let sound = sound.withLock { $0 }
        let isThere = state.withLock { state in
            guard state.isRunning, state.isLinked, seconds > 0 else { return false }
            let exact = seconds * Double(setup.rate) + state.fraction
            let frames = Int(exact)
            state.fraction = exact - Double(frames)
            for frame in state.position..<state.position + frames {
                state.waiting += repeatElement(sound(frame), count: setup.channels)
            }
            state.position += frames
            return !state.waiting.isEmpty
        }
        if isThere { listener(.ready) }
    }
}
