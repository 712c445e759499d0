internal import Synchronization

/// What is scheduled in a player, and how far it is.
final class PlayerNodeCore: NodeCore, @unchecked Sendable {
    enum Callback: Sendable { case consumed, rendered, playedBack }

    struct Finished: Sendable {
        /// Of the block that was rendered.
        var frame: Int
        let callback: Callback
        let done: @Sendable () -> Void
    }

    struct Item {
        enum Sound {
            case buffer(AVAudioPCMBuffer)
            /// Frames from one on; as many.
            case file(SoundFile, from: Int, count: Int)
        }

        let sound: Sound
        /// Of this player's time; `nil`: after what is before.
        let start: Int?
        var loops: Bool
        let callback: Callback
        let done: (@Sendable () -> Void)?
        var position = 0

        var frames: Int {
            switch sound {
            case .buffer(let buffer): Int(buffer.frameLength)
            case .file(_, _, let count): count
            }
        }

        func read(_ count: Int) -> [Float] {
            switch sound {
            case .buffer(let buffer): return buffer.samples(position..<min(position + count, frames))
            case .file(let file, let from, let total):
                if position == 0 { file.seek(to: from) }
                return file.read(min(count, total - position))
            }
        }

        var sourceRate: Double {
            switch sound {
            case .buffer(let buffer): buffer.format.sampleRate
            case .file(let file, _, _): Double(file.rate)
            }
        }

        var sourceChannels: Int {
            switch sound {
            case .buffer(let buffer): Int(buffer.format.channelCount)
            case .file(let file, _, _): file.channels
            }
        }
    }

    private struct State {
        var items: [Item] = []
        var isPlaying = false
        /// Frames that it has rendered since it was last stopped.
        var time = 0
        var resampler: Resampler?
    }

    // Buffers are used by the thread that renders from the moment on that they are scheduled.
    private let state = Guarded(State())
    // Under the engine's lock.
    private var finished: [Finished] = []

    func takeFinished() -> [Finished] {
        defer { finished = [] }
        return finished
    }

    var isPlaying: Bool { state.withLock { $0.isPlaying } }
    var time: Int { state.withLock { $0.time } }

    func play() { state.withLock { $0.isPlaying = true } }
    func pause() { state.withLock { $0.isPlaying = false } }

    /// - Returns: the callbacks of all that did not come to its end.
    func stop() -> [@Sendable () -> Void] {
        state.withLock { state in
            defer { state = State() }
            return state.items.compactMap(\.done)
        }
    }

    /// - Parameter interrupts: what plays ends now, or where it begins again.
    func schedule(_ item: Item, interrupts: Bool, atLoop: Bool) -> [@Sendable () -> Void] {
        state.withLock { state in
            var dropped: [@Sendable () -> Void] = []
            if interrupts {
                dropped = state.items.compactMap(\.done)
                (state.items, state.resampler) = ([], nil)
            } else if atLoop {
                dropped = state.items.dropFirst().compactMap(\.done)
                state.items = Array(state.items.prefix(1))
            }
            // What comes after something that is repeated ends that.
            for place in state.items.indices { state.items[place].loops = false }
            state.items.append(item)
            return dropped
        }
    }

    override func render(_ frames: Int, _ pull: (Int, Int) -> [Float]) -> [Float] {
        state.withLock { state in
            guard state.isPlaying else { return silence(frames) }
            var output: [Float] = []
            output.reserveCapacity(frames * channels)
            while output.count < frames * channels, !state.items.isEmpty {
                let now = state.time + output.count / channels
                if let start = state.items[0].start, state.items[0].position == 0, start > now {
                    output += silence(min(start - now, frames - output.count / channels))
                    continue
                }
                let missing = frames - output.count / channels
                let samples = part(missing, &state)
                output += samples
                if samples.count < missing * channels { finishFirst(&state, at: output.count / channels) }
            }
            state.time += frames
            return output + silence(frames - output.count / channels)
        }
    }

    /// Of the first item, in this node's rate and channels; fewer frames at its end.
    private func part(_ count: Int, _ state: inout State) -> [Float] {
        var item = state.items[0]
        var resampler =
            state.resampler
            ?? Resampler(
                fromRate: item.sourceRate, toRate: rate, fromChannels: item.sourceChannels, toChannels: channels)
        let samples = resampler.next(count) { wanted in
            var read: [Float] = []
            while read.count < wanted * item.sourceChannels {
                let block = item.read(wanted - read.count / item.sourceChannels)
                read += block
                item.position += block.count / item.sourceChannels
                guard block.isEmpty else { continue }
                guard item.loops, item.position > 0 else { break }
                item.position = 0
            }
            return read
        }
        state.resampler = resampler
        state.items[0] = item
        return samples
    }

    private func finishFirst(_ state: inout State, at frame: Int) {
        let item = state.items.removeFirst()
        state.resampler = nil
        if let done = item.done { finished.append(Finished(frame: frame, callback: item.callback, done: done)) }
    }
}

/// A value behind a lock. `Mutex` would not take in buffers, which are not sendable.
///
/// Unchecked: the lock is around every use.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
