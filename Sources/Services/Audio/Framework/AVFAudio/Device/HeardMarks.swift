/// How loud something is, for each channel; 1 is the loudest.
package struct AudioLevels: Hashable, Sendable {
    package var average: [Float]
    package var peak: [Float]

    package init(_ samples: [Float], channels: Int) {
        var (squares, peaks) = ([Float](repeating: 0, count: channels), [Float](repeating: 0, count: channels))
        for (place, sample) in samples.enumerated() {
            squares[place % channels] += sample * sample
            peaks[place % channels] = max(peaks[place % channels], abs(sample))
        }
        let frames = Float(max(1, samples.count / channels))
        average = squares.map { ($0 / frames).squareRoot() }
        peak = peaks
    }
}

/// What belongs to frames that were rendered and are heard later.
struct HeardMarks: Sendable {
    struct Anchor: Sendable {
        let frame: Int
        let media: Double
        let pace: Double
    }

    struct Wait: Sendable {
        let frame: Int
        let body: @Sendable (Bool) -> Void
    }

    private struct Level: Sendable {
        let frame: Int
        let levels: AudioLevels
    }

    var anchors: [Anchor] = []
    /// In the order of their frames.
    private(set) var waiting: [Wait] = []
    private var levels: [Level] = []
    var keepsLevels: Bool

    init(levels: Bool = false) { keepsLevels = levels }

    var first: Int? { waiting.first?.frame }

    mutating func wait(for frame: Int, _ body: @escaping @Sendable (Bool) -> Void) {
        let place = waiting.firstIndex { $0.frame > frame } ?? waiting.endIndex
        waiting.insert(Wait(frame: frame, body: body), at: place)
    }

    mutating func takeHeard(upTo frame: Int) -> [Wait] {
        let ripe = waiting.prefix { $0.frame <= frame }
        waiting.removeFirst(ripe.count)
        return Array(ripe)
    }

    /// - Parameter heard: what lies before it is not asked for any more.
    mutating func add(_ block: AudioBlock, at frame: Int, channels: Int, rate: Int, heard: Int) {
        guard !block.samples.isEmpty else { return }
        if keepsLevels {
            levels.removeAll { $0.frame + 8 * block.samples.count / channels < heard }
            levels.append(Level(frame: frame, levels: AudioLevels(block.samples, channels: channels)))
        }
        if let last = anchors.last, last.pace == block.pace {
            let expected = last.media + Double(frame - last.frame) / Double(rate) * last.pace
            if abs(expected - block.media) < 0.5 / Double(rate) { return }
        }
        while anchors.count > 1, anchors[1].frame <= heard { anchors.removeFirst() }
        anchors.append(Anchor(frame: frame, media: block.media, pace: block.pace))
    }

    /// - Parameter end: the frame behind the last that was rendered.
    func media(at frame: Int, rate: Int, end: Int) -> Double? {
        guard let anchor = anchors.last(where: { $0.frame <= frame }) ?? anchors.first else { return nil }
        return anchor.media + Double(max(0, min(frame, end) - anchor.frame)) / Double(rate) * anchor.pace
    }

    /// The first frame at which this is heard.
    func frame(of media: Double, rate: Int, end: Int) -> Int? {
        for (place, anchor) in anchors.enumerated() where anchor.pace != 0 {
            let until = place + 1 < anchors.count ? anchors[place + 1].frame : end
            let frame = anchor.frame + Int(((media - anchor.media) / anchor.pace * Double(rate)).rounded(.up))
            if frame >= anchor.frame, frame < until { return frame }
        }
        return nil
    }

    func levels(at frame: Int) -> AudioLevels? { levels.last { $0.frame <= frame }?.levels ?? levels.first?.levels }
}
