internal import Synchronization

/// Where a player's samples come from.
package protocol SampleReader: AnyObject, Sendable {
    var rate: Int { get }
    var channels: Int { get }
    /// `nil` where nothing says.
    var frames: Int? { get }
    /// Interleaved; none at the end.
    func read(_ count: Int) -> [Float]
    /// - Returns: where it reads next.
    func seek(to frame: Int) -> Int?
    /// Why it ended before its end, if it did.
    var failure: String? { get }
    /// Whether there are fewer frames now, and more later.
    func waits(for count: Int) -> Bool
}

extension SoundFile: SampleReader {
    package func waits(for count: Int) -> Bool { false }
}

/// A file as a player hears it: over and over, softer, to one side, faster.
package final class FileSource: AudioSource {
    private struct State: Sendable {
        /// The frame of the file that is read next.
        var frame = 0
        var loops = 0
        var loopsLeft = 0
        var volume = Gain(1)
        var pan: Float = 0
        var speed = 1.0
        var stretcher: Stretcher?
        /// Where in the file frames of the stretcher's input came from.
        var origins: [(input: Int, frame: Int)] = []
        var inputRead = 0
        var failure: String?
    }

    private let file: any SampleReader
    package var rate: Int { file.rate }
    /// Of what is rendered: mono has two sides too.
    package let channels: Int
    private let state = Mutex(State())

    package init(_ file: any SampleReader) {
        self.file = file
        channels = max(2, file.channels)
    }

    package var duration: Double { file.frames.map { Double($0) / Double(file.rate) } ?? 0 }

    /// Why it ended before its end, if it did.
    package var failure: String? { state.withLock { $0.failure } }

    // MARK: What a player changes

    package func seek(to seconds: Double) {
        state.withLock { state in
            let frame = Int((max(0, seconds) * Double(file.rate)).rounded())
            state.frame = file.seek(to: frame) ?? state.frame
            state.failure = nil
            state.volume.jump()
            Self.forgetStretch(&state)
        }
    }

    /// Where it would go on.
    package var position: Double { state.withLock { Double($0.frame) / Double(file.rate) } }

    package var loops: Int {
        get { state.withLock { $0.loops } }
        set { state.withLock { ($0.loops, $0.loopsLeft) = (newValue, newValue) } }
    }

    package func rewind() {
        seek(to: 0)
        state.withLock { $0.loopsLeft = $0.loops }
    }

    package var volume: Float { state.withLock { $0.volume.target } }

    package func setVolume(_ volume: Float, seconds: Double) {
        let frames = seconds > 0 ? Int(min(seconds, 3600) * Double(file.rate)) : Gain.soft
        state.withLock { $0.volume.set(volume, over: frames) }
    }

    var pan: Float {
        get { state.withLock { $0.pan } }
        set { state.withLock { $0.pan = newValue } }
    }

    /// At the same pitch.
    package var speed: Double {
        get { state.withLock { $0.speed } }
        set {
            state.withLock { state in
                guard state.speed != newValue else { return }
                state.speed = newValue
                if newValue == 1 { backToInput(&state) } else { state.stretcher?.speed = newValue }
            }
        }
    }

    private static func forgetStretch(_ state: inout State) {
        (state.stretcher, state.origins, state.inputRead) = (nil, [], 0)
    }

    /// What the stretcher has read ahead is read again.
    private func backToInput(_ state: inout State) {
        if let stretcher = state.stretcher { state.frame = origin(Int(stretcher.position), state) }
        Self.forgetStretch(&state)
        _ = file.seek(to: state.frame)
    }

    private func origin(_ input: Int, _ state: State) -> Int {
        guard let origin = state.origins.last(where: { $0.input <= input }) else { return state.frame }
        return origin.frame + input - origin.input
    }

    // MARK: AudioSource

    package func render(_ frames: Int) -> AudioBlock {
        state.withLock { state in
            // A stretched piece reads ahead of what it gives.
            if file.waits(for: frames + (state.speed == 1 ? 0 : file.rate / 4)) {
                let media = Double(state.frame) / Double(file.rate)
                return AudioBlock([], rest: .waits, media: media)
            }
            if state.speed != 1 { return stretched(&state) }
            let media = Double(state.frame) / Double(file.rate)
            let (samples, start) = read(frames, &state)
            guard !samples.isEmpty else { return AudioBlock([], rest: .ended) }
            let from = start.map { Double($0) / Double(file.rate) } ?? media
            return AudioBlock(shaped(samples, &state), media: from)
        }
    }

    private func stretched(_ state: inout State) -> AudioBlock {
        var stretcher =
            state.stretcher ?? Stretcher(rate: file.rate, channels: file.channels, speed: state.speed)
        let input = Int(stretcher.position)
        let samples = stretcher.next { count in
            let (samples, start) = read(count, &state)
            if let start, state.origins.last.map({ start != $0.frame + state.inputRead - $0.input }) ?? true {
                state.origins.append((state.inputRead, start))
            }
            state.inputRead += samples.count / file.channels
            return samples
        }
        while state.origins.count > 1, state.origins[1].input <= input { state.origins.removeFirst() }
        let media = Double(origin(input, state)) / Double(file.rate)
        state.stretcher = stretcher
        guard !samples.isEmpty else { return AudioBlock([], rest: .ended) }
        return AudioBlock(shaped(samples, &state), media: media, pace: state.speed)
    }

    /// Up to the end of the file, or from its begin on again. Where they are from: the frame of the first.
    private func read(_ count: Int, _ state: inout State) -> ([Float], Int?) {
        for _ in 0..<2 {
            let start = state.frame
            let samples = file.read(count)
            if !samples.isEmpty {
                state.frame += samples.count / file.channels
                return (samples, start)
            }
            if let failure = file.failure {
                state.failure = failure
                return ([], nil)
            }
            guard state.loopsLeft != 0, file.frames != 0, start > 0 else { return ([], nil) }
            if state.loopsLeft > 0 { state.loopsLeft -= 1 }
            guard file.seek(to: 0) != nil else { return ([], nil) }
            state.frame = 0
        }
        return ([], nil)
    }

    /// With volume and pan, for the channels that are rendered.
    private func shaped(_ samples: [Float], _ state: inout State) -> [Float] {
        let count = samples.count / file.channels
        let sides = [min(1, 1 - state.pan), min(1, 1 + state.pan)]
        var output: [Float] = []
        output.reserveCapacity(count * channels)
        for frame in 0..<count {
            let gain = state.volume.next()
            for channel in 0..<channels {
                let sample = samples[frame * file.channels + min(channel, file.channels - 1)]
                output.append(sample * gain * (channels == 2 ? sides[channel] : 1))
            }
        }
        return output
    }
}
