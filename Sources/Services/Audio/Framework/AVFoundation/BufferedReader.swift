internal import AVFAudio
internal import Foundation

/// Samples that another thread decodes ahead, since what they are made of may have to be waited for.
///
/// Unchecked: what changes is used under the lock.
final class BufferedReader: SampleReader, @unchecked Sendable {
    enum Outcome: Sendable {
        case opened(BufferedReader)
        case failed(SoundFileError)
    }

    /// Seconds that are decoded ahead, and those after which it goes on when it had run dry.
    private static let (ahead, enough) = (3.0, 1.0)

    let rate: Int
    let channels: Int
    let frames: Int?
    private let file: SoundFile
    private let bytes: HTTPBytes
    private let condition = NSCondition()
    private var ready: [Float] = []
    private var target: Int?
    private var isOver = false
    private var isDry = true
    private var isClosed = false
    private var kick: @Sendable () -> Void = {}
    private var starved: @Sendable () -> Void = {}
    private var waiting: [@Sendable () -> Void] = []

    private init(_ file: SoundFile, _ bytes: HTTPBytes) {
        (self.file, self.bytes) = (file, bytes)
        (rate, channels) = (file.rate, file.channels)
        // What has no end says more than any sound has.
        frames = file.frames.flatMap { $0 < file.rate * 3600 * 1000 ? $0 : nil }
    }

    /// - Parameter completion: called on a thread of its own.
    static func open(_ bytes: HTTPBytes, name: String, _ completion: @escaping @Sendable (Outcome) -> Void) {
        let thread = Thread {
            do throws(SoundFileError) {
                let file = try SoundFile.open(SoundAccess(bytes), name: name)
                bytes.opened()
                let reader = BufferedReader(file, bytes)
                completion(.opened(reader))
                reader.decode()
            } catch {
                completion(.failed(bytes.failure.map { SoundFileError(.other, $0) } ?? error))
            }
        }
        thread.name = "greenroom.decode"
        thread.start()
    }

    /// - Parameters:
    ///   - kick: there is enough again.
    ///   - starved: there is not enough, and more comes.
    func listen(kick: @escaping @Sendable () -> Void, starved: @escaping @Sendable () -> Void) {
        condition.withLock { (self.kick, self.starved) = (kick, starved) }
    }

    /// Calls when there is enough, on any thread.
    func whenFed(_ body: @escaping @Sendable () -> Void) {
        let isFed = condition.withLock {
            if isDry { waiting.append(body) }
            return !isDry
        }
        if isFed { body() }
    }

    func close() {
        bytes.close()
        condition.withLock {
            isClosed = true
            condition.broadcast()
        }
    }

    // MARK: Decoding

    private func decode() {
        while let seek = waitForRoom() {
            if let seek { file.seekQuietly(to: seek) }
            let samples = file.read(4096)
            let tells = condition.withLock { () -> [@Sendable () -> Void] in
                // It goes elsewhere: these are of no use.
                guard target == nil else { return [] }
                ready += samples
                if samples.isEmpty { isOver = true }
                guard isDry, isOver || ready.count >= Int(Self.enough * Double(rate)) * channels else { return [] }
                isDry = false
                defer { waiting = [] }
                return [kick] + waiting
            }
            for one in tells { one() }
        }
    }

    /// Where to read next, if elsewhere; `nil` when it was closed.
    private func waitForRoom() -> Int?? {
        condition.withLock {
            while !isClosed {
                if let target {
                    (self.target, isOver) = (nil, false)
                    return .some(target)
                }
                if !isOver, ready.count < Int(Self.ahead * Double(rate)) * channels { return .some(nil) }
                condition.wait()
            }
            return nil
        }
    }

    // MARK: SampleReader

    var failure: String? { file.failure ?? bytes.failure }

    /// Whether it plays on without waiting.
    var keepsUp: Bool { condition.withLock { !isDry } }

    func waits(for count: Int) -> Bool {
        let (waits, tells) = condition.withLock { () -> (Bool, (@Sendable () -> Void)?) in
            guard target == nil else { return (true, nil) }
            if isOver { return (false, nil) }
            if !isDry, ready.count >= count * channels { return (false, nil) }
            defer { isDry = true }
            return (true, isDry ? nil : starved)
        }
        tells?()
        return waits
    }

    func read(_ count: Int) -> [Float] {
        condition.withLock {
            let part = Array(ready.prefix(count * channels))
            ready.removeFirst(part.count)
            condition.broadcast()
            return part
        }
    }

    func seek(to frame: Int) -> Int? {
        condition.withLock {
            (target, ready, isDry) = (frame, [], true)
            condition.broadcast()
            return frame
        }
    }
}

extension SoundFile {
    fileprivate func seekQuietly(to frame: Int) { _ = seek(to: frame) }
}
