internal import Synchronization

/// What a node of an engine is to the thread that renders.
///
/// Unchecked: what changes is used under the lock of the engine, or before the node is attached.
class NodeCore: @unchecked Sendable {
    struct Tap {
        let buffer: AVAudioFrameCount
        let format: AVAudioFormat
        let block: (AVAudioPCMBuffer, AVAudioTime) -> Void
        var resampler: Resampler
        var pending: [Float] = []
        var time: AVAudioFramePosition = 0
    }

    /// Of what it puts out.
    var rate = 48_000.0
    var channels = 2
    var tap: Tap?
    let volume = Mutex<(volume: Float, pan: Float)>((1, 0))

    /// So many frames of its rate and channels; silence where it has none.
    ///
    /// - Parameter pull: frames of what is connected to a bus, in this node's rate and channels.
    func render(_ frames: Int, _ pull: (Int, Int) -> [Float]) -> [Float] { pull(0, frames) }

    /// The buses that something is connected to, for those that have several.
    func use(_ buses: [Int]) {}

    final var silence: (Int) -> [Float] { { [channels] in [Float](repeating: 0, count: max(0, $0) * channels) } }

    /// What a tap is to be called with now.
    final func tapped(_ samples: [Float]) -> [() -> Void] {
        guard var tap else { return [] }
        defer { self.tap = tap }
        var given = samples[...]
        let channels = channels
        let wanted = Int((Double(samples.count / channels) * tap.format.sampleRate / rate).rounded(.up)) + 1
        tap.pending += tap.resampler.next(tap.format.sampleRate == rate ? samples.count / channels : wanted) { count in
            let part = Array(given.prefix(count * channels))
            given = given.dropFirst(part.count)
            return part
        }
        var calls: [() -> Void] = []
        let size = Int(tap.buffer) * Int(tap.format.channelCount)
        while tap.pending.count >= size, let buffer = AVAudioPCMBuffer(pcmFormat: tap.format, frameCapacity: tap.buffer)
        {
            buffer.append(Array(tap.pending.prefix(size)))
            tap.pending.removeFirst(size)
            let time = AVAudioTime(sampleTime: tap.time, atRate: tap.format.sampleRate)
            tap.time += AVAudioFramePosition(tap.buffer)
            calls.append { [block = tap.block] in block(buffer, time) }
        }
        return calls
    }
}

/// Adds what is connected to it.
final class MixerCore: NodeCore, @unchecked Sendable {
    // Under the engine's lock as well.
    private var buses: [Int] = []

    override func use(_ buses: [Int]) { self.buses = buses }

    override func render(_ frames: Int, _ pull: (Int, Int) -> [Float]) -> [Float] {
        var sum = silence(frames)
        for bus in buses {
            for (place, sample) in pull(bus, frames).enumerated() where place < sum.count { sum[place] += sample }
        }
        return sum
    }
}

/// What the microphone hears, for nodes that are connected to it.
final class InputCore: NodeCore, @unchecked Sendable {
    // The lock of the engine is not held when samples come.
    private let waiting = Mutex<[Float]>([])
    /// Seconds that may wait: what is heard later than that is of no use.
    private static let most = 0.2

    func hear(_ samples: [Float]) {
        let most = Int(rate * Self.most) * channels
        waiting.withLock { waiting in
            waiting += samples
            if waiting.count > most { waiting.removeFirst(waiting.count - most) }
        }
    }

    override func render(_ frames: Int, _ pull: (Int, Int) -> [Float]) -> [Float] {
        let count = frames * channels
        return waiting.withLock { waiting in
            let there = Array(waiting.prefix(count))
            waiting.removeFirst(there.count)
            return there + [Float](repeating: 0, count: count - there.count)
        }
    }
}

/// Faster, slower, higher or lower.
final class PitchCore: NodeCore, @unchecked Sendable {
    struct Setting: Sendable, Equatable {
        /// Frames of the input for one that is put out.
        var rate = 1.0
        /// Pitches: 2 is an octave higher.
        var pitch = 1.0
    }

    let setting = Mutex(Setting())
    // Under the engine's lock.
    private var used = Setting()
    private var stretcher: Stretcher?
    private var resampler: Resampler?
    private var ready: [Float] = []

    override func render(_ frames: Int, _ pull: (Int, Int) -> [Float]) -> [Float] {
        let setting = setting.withLock { $0 }
        if setting != used { (used, stretcher, resampler, ready) = (setting, nil, nil, []) }
        if setting == Setting() { return pull(0, frames) }
        var resampler =
            self.resampler
            ?? Resampler(fromRate: setting.pitch, toRate: 1, fromChannels: channels, toChannels: channels)
        // A sound that is played twice as fast is an octave higher; it is stretched by as much before.
        var stretcher =
            self.stretcher ?? Stretcher(rate: Int(rate), channels: channels, speed: setting.rate / setting.pitch)
        let isStretched = abs(setting.rate / setting.pitch - 1) > 0.001
        let output = resampler.next(frames) { count in
            guard isStretched else { return pull(0, count) }
            while ready.count < count * channels {
                let piece = stretcher.next { pull(0, $0) }
                if piece.isEmpty { break }
                ready += piece
            }
            let part = Array(ready.prefix(count * channels))
            ready.removeFirst(part.count)
            return part
        }
        (self.resampler, self.stretcher) = (resampler, stretcher)
        return output
    }
}
