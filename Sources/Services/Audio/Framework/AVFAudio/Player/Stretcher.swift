/// Plays faster or slower at the same pitch: pieces of the sound are laid over each other where they match best.
struct Stretcher {
    /// Frames of a piece that one hears alone, and how far to look for a better place.
    private let hop: Int
    private let reach: Int
    /// Every how many frames two pieces are compared.
    private static let step = 4

    private let channels: Int
    var speed: Double
    /// What was read and may still be used; its first frame has this number.
    private var input: [Float] = []
    private var inputStart = 0
    private var hasEnded = false
    /// Where the next piece would be without looking for a better place.
    private var place: Double
    /// What follows the last piece where that came from.
    private var tail: [Float]?

    init(rate: Int, channels: Int, speed: Double) {
        hop = max(32, rate / 66)
        reach = max(16, rate / 100)
        self.channels = channels
        self.speed = speed
        place = 0
    }

    /// Frames of the input that were used up.
    var position: Double { place }

    /// One piece.
    ///
    /// - Parameter read: the next frames of the input; fewer at its end.
    /// - Returns: nothing at the end.
    mutating func next(_ read: (Int) -> [Float]) -> [Float] {
        let nominal = Int(place)
        load(upTo: nominal + reach + 2 * hop, read)
        let end = inputStart + input.count / channels
        guard !hasEnded || nominal < end else { return [] }
        let start = tail.map { bestPlace(near: nominal, for: $0) } ?? nominal
        let head = piece(at: start)
        var output = head
        if let tail {
            for frame in 0..<hop {
                let weight = Float(frame) / Float(hop)
                for channel in 0..<channels {
                    let index = frame * channels + channel
                    output[index] = tail[index] * (1 - weight) + head[index] * weight
                }
            }
        }
        tail = piece(at: start + hop)
        place += Double(hop) * speed
        drop(before: Int(place) - reach)
        if hasEnded, Int(place) >= end {
            // The rest of the sound is no longer than what is left of it.
            let left = max(0, Double(end - nominal)) / speed
            output = Array(output.prefix(min(hop, Int(left.rounded(.up))) * channels))
        }
        return output
    }

    private mutating func load(upTo frame: Int, _ read: (Int) -> [Float]) {
        while !hasEnded, inputStart + input.count / channels < frame {
            let new = read(frame - inputStart - input.count / channels)
            input += new
            if new.isEmpty { hasEnded = true }
        }
    }

    private mutating func drop(before frame: Int) {
        let count = min(max(0, frame - inputStart), input.count / channels)
        input.removeFirst(count * channels)
        inputStart += count
    }

    /// Silent where there is no input.
    private func piece(at frame: Int) -> [Float] {
        let start = (frame - inputStart) * channels
        let count = hop * channels
        if start >= 0, start + count <= input.count { return Array(input[start..<start + count]) }
        return (start..<start + count).map { input.indices.contains($0) ? input[$0] : 0 }
    }

    private func bestPlace(near frame: Int, for tail: [Float]) -> Int {
        var (best, bestMatch) = (frame, -Float.infinity)
        for candidate in stride(from: max(inputStart, frame - reach), through: frame + reach, by: Self.step) {
            let start = (candidate - inputStart) * channels
            guard start >= 0, start + hop * channels <= input.count else { continue }
            var (match, energy): (Float, Float) = (0, 1e-9)
            for index in stride(from: 0, to: hop * channels, by: channels * Self.step) {
                let sample = input[start + index]
                match += sample * tail[index]
                energy += sample * sample
            }
            let quality = match / energy.squareRoot()
            if quality > bestMatch { (best, bestMatch) = (candidate, quality) }
        }
        return best
    }
}
