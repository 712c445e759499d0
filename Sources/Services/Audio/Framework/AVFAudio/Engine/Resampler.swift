/// From one number of frames per second to another, and from some channels to others.
package struct Resampler {
    private let ratio: Double
    private let from: Int
    private let to: Int
    /// What was read and is still needed; interleaved in the channels of the input.
    private var input: [Float] = []
    /// Of the next frame, between those of the input.
    private var place = 1.0
    private var hasBegun = false
    private var hasEnded = false

    package init(fromRate: Double, toRate: Double, fromChannels: Int, toChannels: Int) {
        ratio = fromRate / toRate
        (from, to) = (fromChannels, toChannels)
    }

    /// So many frames, or fewer at the end of the input.
    ///
    /// - Parameter read: so many frames of the input; fewer if there are no more now.
    package mutating func next(_ count: Int, _ read: (Int) -> [Float]) -> [Float] {
        if ratio == 1 { return Self.mapped(read(count), from, to) }
        if !hasBegun {
            // The curve goes through four frames; nothing was before the first.
            input = [Float](repeating: 0, count: from)
            hasBegun = true
        }
        let needed = Int(place + Double(count) * ratio) + 3
        let missing = needed - input.count / from
        if missing > 0 { input += read(missing) }
        let there = input.count / from
        var output: [Float] = []
        output.reserveCapacity(count * from)
        while output.count < count * from, Int(place) + 2 < there {
            let (frame, part) = (Int(place), Float(place - place.rounded(.down)))
            for channel in 0..<from { output.append(curve(frame, channel, part)) }
            place += ratio
        }
        let used = min(max(0, Int(place) - 1), there)
        input.removeFirst(used * from)
        place -= Double(used)
        return Self.mapped(output, from, to)
    }

    /// Catmull and Rom's curve through four frames.
    private func curve(_ frame: Int, _ channel: Int, _ t: Float) -> Float {
        func sample(_ offset: Int) -> Float { input[(frame + offset) * from + channel] }
        let (a, b, c, d) = (sample(-1), sample(0), sample(1), sample(2))
        let cubic = 0.5 * (d - a) + 1.5 * (b - c)
        let square = a - 2.5 * b + 2 * c - 0.5 * d
        return ((cubic * t + square) * t + 0.5 * (c - a)) * t + b
    }

    /// Interleaved samples for other channels: one becomes all, all become one, others stay or are silent.
    static func mapped(_ samples: [Float], _ from: Int, _ to: Int) -> [Float] {
        guard from != to, from > 0, to > 0 else { return samples }
        var output: [Float] = []
        output.reserveCapacity(samples.count / from * to)
        for frame in stride(from: 0, to: samples.count - from + 1, by: from) {
            let channels = samples[frame..<frame + from]
            if to == 1 {
                output.append(channels.reduce(0, +) / Float(from))
            } else {
                for channel in 0..<to {
                    output.append(from == 1 ? samples[frame] : channel < from ? samples[frame + channel] : 0)
                }
            }
        }
        return output
    }
}
