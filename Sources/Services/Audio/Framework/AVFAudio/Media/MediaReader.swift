internal import Foundation

/// Reads the samples of a file of packets, exact to the frame: each packet goes where its time says. Packets overlap,
/// and an encoder adds frames at the begin and at the end, which are left out.
final class MediaReader: SoundBackend {
    /// Packets that are decoded before the one that is wanted, since each needs what the ones before left; and at least
    /// so many frames.
    private static let (preroll, prerollFrames) = (2, 4096)
    /// Packets of which the first that can be decoded says what comes out, and those that may be broken in a row.
    private static let (firstAttempts, mostBroken) = (8, 64)
    /// Seconds without a packet that are silence. A file that says more makes no sense.
    private static let longestGap = 10
    /// Frames that no sound has. Numbers up to here can be added without overflow.
    private static let mostFrames = 1 << 40

    let rate: Int
    let channels: Int
    private(set) var frames: Int?
    private let file: MediaFile
    private let isSeekable: Bool
    /// Frames of a packet.
    private let packetFrames: Int
    /// The frame of all that are decoded that is the first of the sound.
    private let origin: Int
    /// When the first packet is.
    private let firstTime: Int64
    private let tolerance: Int

    /// Where packets that say no time are in the file, as far as that is known, and which of them is read next.
    private var offsets: [Int64] = []
    private var index = 0
    /// The frame that is read next.
    private var position = 0
    /// Frames of silence that come first, and what follows them.
    private var silence = 0
    private var ready: ArraySlice<Float> = []
    private var broken = 0
    private(set) var failure: String?

    /// - Parameter caf: the frames of a CAF file; `nil` for other files.
    init(_ file: MediaFile, _ access: SoundAccess, caf: CAFFrames?, name: String) throws(SoundFileError) {
        (self.file, isSeekable) = (file, access.hasEnd)
        let (first, passed) = try Self.first(file, name)
        (rate, channels, packetFrames) = (first.rate, first.channels, first.frames)
        tolerance = file.tolerance(rate: rate)
        offsets = file.hasTimes || !isSeekable ? [] : passed.map(\.offset)
        let begin = passed.first.flatMap(\.time) ?? 0
        firstTime = begin
        // Far enough from the greatest number that something may be added.
        var start = min(file.frames(begin, rate: rate) ?? Int.max, Int.max / 2)
        if let caf {
            start += caf.priming
        } else if start < 0 {
            // The file says where the sound begins: at zero.
            start = 0
        } else if file.statedRate > 0 {
            start += (passed.first?.skipped ?? 0) * rate / file.statedRate
        }
        guard 0...Self.mostFrames ~= start else {
            throw SoundFileError(.broken, "\(name) says that its sound begins after \(start) frames")
        }
        origin = start
        let stated = caf?.frames ?? Self.length(file, rate: rate, begin: begin, origin: start)
        frames = stated.flatMap { 0...Self.mostFrames ~= $0 ? $0 : nil }
        if isSeekable {
            // What comes from elsewhere is not waited for only to be counted.
            if frames == nil, !access.isRemote { frames = count() }
            guard rewind() else { throw SoundFileError(.broken, "\(name) cannot be read from its begin") }
        } else {
            // These do not come again.
            index = passed.count
            take(first)
        }
    }

    /// The first packet that can be decoded, and those up to it.
    private static func first(
        _ file: MediaFile, _ name: String
    ) throws(SoundFileError) -> (MediaFile.Packet, [MediaFile.Packet]) {
        var passed: [MediaFile.Packet] = []
        while passed.count < firstAttempts, case .packet(let packet) = file.next() {
            if packet.isProtected { throw MediaFile.protected(name) }
            passed.append(packet)
            if packet.frames > 0 { return (packet, passed) }
        }
        throw SoundFileError(.broken, "\(name) cannot be read: it was cut off, or none of it can be decoded")
    }

    /// Frames of the sound, by what the file says.
    private static func length(_ file: MediaFile, rate: Int, begin: Int64, origin: Int) -> Int? {
        guard let duration = file.duration, let all = file.frames(duration, rate: rate) else { return nil }
        let first = file.frames(max(0, begin), rate: rate) ?? 0
        let length = max(0, all - (origin - first))
        // What Apple's programs write is exact, and may contradict the rest of the file.
        let numbers = file.played.split(separator: " ").map { Int($0, radix: 16) }
        guard numbers.count > 3, let played = numbers[3], played > 0, (length - 8192...length).contains(played) else {
            return length
        }
        return played
    }

    /// Goes through the whole file without decoding it.
    private func count() -> Int? {
        guard rewind() else { return nil }
        if !file.hasTimes {
            while step() {}
            return offsets.count * packetFrames
        }
        var end: Int64 = 0
        while case .packet(let packet) = file.next(decodes: false) {
            if let time = packet.time { end = max(end, time &+ max(0, packet.duration)) }
        }
        return file.frames(end, rate: rate).map { max(0, min($0, Self.mostFrames) - origin) }
    }

    // MARK: Reading

    func read(_ count: Int) -> [Float] {
        var samples: [Float] = []
        let wanted = min(count, frames.map { max(0, $0 - position) } ?? count) * channels
        while samples.count < wanted {
            if silence > 0 {
                let part = min(silence, (wanted - samples.count) / channels)
                samples += [Float](repeating: 0, count: part * channels)
                silence -= part
                position += part
                continue
            }
            if ready.isEmpty, !decodeNext() { break }
            let part = ready.prefix(silence > 0 ? 0 : wanted - samples.count)
            samples += part
            ready = ready.dropFirst(part.count)
            position += part.count / channels
        }
        return samples
    }

    /// Has something ready, if there is more.
    private func decodeNext() -> Bool {
        while failure == nil, ready.isEmpty, silence == 0 {
            switch file.next() {
            case .packet(let packet):
                if !file.hasTimes, isSeekable, index == offsets.count { offsets.append(packet.offset) }
                index += 1
                take(packet)
            case .failed: failure = "the file ends before its end, or makes no sense"
            case .end:
                finish()
                return silence > 0
            }
        }
        return failure == nil
    }

    /// Places a packet's samples by its time: fills a gap with silence, and drops what overlaps.
    private func take(_ packet: MediaFile.Packet) {
        guard packet.frames > 0, packet.channels == channels, packet.rate == rate else {
            broken += 1
            if broken > Self.mostBroken { failure = "\(broken) packets in a row cannot be decoded" }
            return
        }
        broken = 0
        let wanted = origin + position
        let start = start(of: packet) ?? wanted
        let (gap, isTooFar) = start.subtractingReportingOverflow(wanted)
        if isTooFar || gap > Self.longestGap * rate {
            failure = "the file says that nothing comes for longer than \(Self.longestGap) s"
        } else if gap > tolerance {
            (silence, ready) = (gap, packet.samples[...])
        } else if gap < -tolerance {
            ready = packet.samples.dropFirst(min(-gap, packet.frames) * channels)
        } else {
            ready = packet.samples[...]
        }
    }

    /// Among all frames that are decoded.
    private func start(of packet: MediaFile.Packet) -> Int? {
        if let time = packet.time { return file.frames(time, rate: rate) }
        // All that have none have as many frames as the first.
        return file.hasTimes ? nil : (index - 1) * packetFrames
    }

    /// Checks at the end of the file whether frames are missing.
    private func finish() {
        guard let frames else {
            // Only now it is known.
            self.frames = position
            return
        }
        let missing = frames - position
        if missing > 0, missing <= broken * packetFrames {
            silence = missing
        } else if missing > max(2 * packetFrames, rate / 10) {
            failure = "the file ends before its end"
        }
    }

    // MARK: Seeking

    func seek(to frame: Int) -> Int? {
        guard isSeekable else { return nil }
        let target = max(0, min(frame, frames ?? frame))
        let (all, isTooFar) = target.addingReportingOverflow(origin)
        guard !isTooFar else { return nil }
        (ready, silence, position, broken, failure) = ([], 0, target, 0, nil)
        if file.hasTimes {
            let early = max(Self.preroll * packetFrames, Self.prerollFrames)
            return file.seek(time: max(firstTime, file.time(all - early, rate: rate))) ? target : nil
        }
        let packet = max(0, all / packetFrames - Self.preroll)
        if packet >= offsets.count {
            // Up to there it is gone through, once.
            guard let last = offsets.last, file.seek(offset: last) else { return nil }
            index = offsets.count - 1
            while index <= packet, step() {}
        }
        guard !offsets.isEmpty else { return nil }
        index = min(packet, offsets.count - 1)
        return file.seek(offset: offsets[index]) ? target : nil
    }

    private func rewind() -> Bool {
        (ready, silence, index, broken, failure) = ([], 0, 0, 0, nil)
        return file.hasTimes ? file.seek(time: firstTime) : offsets.first.map { file.seek(offset: $0) } ?? false
    }

    /// Goes past a packet without decoding it.
    private func step() -> Bool {
        guard case .packet(let packet) = file.next(decodes: false) else { return false }
        if index == offsets.count { offsets.append(packet.offset) }
        index += 1
        return true
    }

    func write(_ samples: [Float]) -> Int { 0 }
    func close() -> Bool { true }
}
