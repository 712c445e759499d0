internal import ArgumentParser
internal import Dispatch
internal import Foundation
internal import LinuxSystem
internal import PipeWire
internal import Wire

/// Hears what a sink plays.
///
/// - `silence`: answered when nothing has been heard for a quarter of a second.
/// - `first`: answered with `armed` at once, and with when the next sound began.
/// - `tone SECONDS`: answered with what was wrong with the tone meanwhile.
struct Hear: ParsableCommand {
    @OptionGroup var sound: SoundOption
    @Option var sink = "testsink"
    @Option(help: "Of the tone.")
    var frequency = 440.0

    func run() throws {
        let queue = DispatchQueue(label: "hear", qos: .userInteractive)
        let ear = Ear(frequency: frequency)
        let streaming = DispatchSemaphore(value: 0)
        let configuration = AudioStream.Configuration(
            server: sound.audio, name: "bench-recorder", direction: .capture, channels: 2,
            properties: ["stream.capture.sink": "true", "target.object": sink, "node.name": "bench-recorder"],
            // The processor may be taken from this program for a while: nothing is lost meanwhile.
            capacity: rate * 20, mark: 64)
        let stream = try AudioStream(
            configuration, queue: queue, onState: { if $0 == .streaming { streaming.signal() } },
            onReady: { ear.take() })
        queue.sync { ear.stream = stream }
        stream.start()
        streaming.wait()
        Output.write(["ready": .bool(true)])
        while let line = readLine() {
            let words = line.split(separator: " ")
            let done = DispatchSemaphore(value: 0)
            queue.async { ear.begin(Self.order(words), then: { done.signal() }) }
            done.wait()
        }
        stream.close()
    }

    private static func order(_ words: [Substring]) -> Ear.Order {
        switch words.first {
        case "silence": .silence
        case "first": .first
        default: .tone(frames: rate * (words.dropFirst().first.flatMap { Int($0) } ?? 1))
        }
    }
}

/// Looks at each frame that comes.
///
/// Unchecked: used on its stream's queue only.
private final class Ear: @unchecked Sendable {
    enum Order {
        case silence, first
        case tone(frames: Int)
    }

    var stream: AudioStream?
    private let frequency: Double
    private var chunk = [Float](repeating: 0, count: rate * 2)

    private var order: Order?
    private var done: () -> Void = {}
    /// Since the order was given.
    private var frames = 0
    /// When the first of them was played.
    private var origin = Int64.max
    /// The same as each piece of a tone has it: what is not played in its time is late, and all after it.
    private var origins: [Int64] = []
    private var quiet = 0
    private var found: Int?
    private var check: ToneCheck
    private var missesBefore = 0

    private static let (quietFrames, afterFrames, pieceFrames) = (rate / 4, rate / 2, rate / 2)

    init(frequency: Double) {
        self.frequency = frequency
        check = ToneCheck(frequency: frequency, rate: Double(rate))
    }

    func begin(_ order: Order, then done: @escaping () -> Void) {
        // What came before is not what is asked for.
        while let stream, unsafe chunk.withUnsafeMutableBufferPointer({ unsafe stream.read($0) }) > 0 {}
        (self.order, self.done, frames, quiet, found) = (order, done, 0, 0, nil)
        (origin, origins) = (.max, [])
        check = ToneCheck(frequency: frequency, rate: Double(rate))
        missesBefore = stream?.misses ?? 0
        if case .first = order { Output.write(["armed": .bool(true)]) }
    }

    func take() {
        guard let stream else { return }
        while true {
            let count = unsafe chunk.withUnsafeMutableBufferPointer { unsafe stream.read($0) }
            guard count > 0 else { return }
            let now = Clock.monotonic()
            guard let order else { continue }
            for frame in 0..<count { look(chunk[frame * 2], at: frames + frame) }
            // A chunk is played from the moment that it is made on, and frames follow each other at an even pace: the
            // chunk that came with the least delay says when.
            let start = now - nanoseconds(frames)
            origin = min(origin, start)
            if frames / Self.pieceFrames == origins.count { origins.append(start) }
            origins[origins.count - 1] = min(origins[origins.count - 1], start)
            frames += count
            settle(order)
        }
    }

    private func look(_ sample: Float, at frame: Int) {
        if sample.magnitude < 0.000_1 {
            quiet += 1
        } else {
            quiet = 0
            if found == nil { found = frame }
        }
        if case .tone = order { check.add(sample) }
    }

    private func nanoseconds(_ frames: Int) -> Int64 { Int64(frames) * 1_000_000_000 / Int64(rate) }

    private func settle(_ order: Order) {
        switch order {
        case .silence:
            if quiet >= Self.quietFrames { answer(["silent": .bool(true)]) }
        case .first:
            if let found, frames >= found + Self.afterFrames {
                answer(["heard": .time(origin + nanoseconds(found))])
            }
        case .tone(let wanted):
            if frames >= wanted {
                var result = check.json
                result["at"] = .array(check.begins.map { .time(origin + nanoseconds($0)) })
                result["late"] = .array(origins.map { .double(Double($0 - origin) / 1e6) })
                result["lost"] = .int(Int64((stream?.misses ?? 0) - missesBefore))
                answer(result)
            }
        }
    }

    private func answer(_ object: JSONObject) {
        order = nil
        Output.write(object)
        done()
    }
}

/// Whether a sine goes on without a break: each sample follows from the two before it.
struct ToneCheck {
    private let factor: Float
    private let apart: Int
    private var last: (Float, Float)?
    private var before: Float?
    private var frames = 0
    /// The frames at which breaks began.
    private(set) var begins: [Int] = []
    private var lastBreak = Int.min / 2
    private var (zeros, run, longest) = (0, 0, 0)
    private var peak: Float = 0

    /// A sine of 16 bits is off by less.
    private static let tolerance: Float = 0.001
    /// A sine has fewer zeros in a row.
    private static let leastRun = 8

    init(frequency: Double, rate: Double) {
        factor = Float(2 * cos(2 * Double.pi * frequency / rate))
        // What is wrong within so many frames is one break.
        apart = Int(rate / 50)
    }

    mutating func add(_ sample: Float) {
        if let (first, second) = last, (sample - factor * second + first).magnitude > Self.tolerance {
            if frames - lastBreak > apart { begins.append(frames) }
            lastBreak = frames
        }
        if sample == 0 {
            run += 1
            if run == Self.leastRun { zeros += run } else if run > Self.leastRun { zeros += 1 }
            longest = max(longest, run)
            // A long silence is one break, with its end.
            if run > Self.leastRun, lastBreak > 0 { lastBreak = frames }
        } else {
            run = 0
        }
        peak = max(peak, sample.magnitude)
        if let before { last = (before, sample) }
        before = sample
        frames += 1
    }

    var json: JSONObject {
        [
            "seconds": .double(Double(frames) / 48_000),
            "silent": .double(Double(zeros) / 48),
            "longest": .double(longest < Self.leastRun ? 0 : Double(longest) / 48),
            "peak": .double(Double(peak)),
        ]
    }
}
