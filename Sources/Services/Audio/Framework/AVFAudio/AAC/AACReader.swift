internal import Foundation

/// Reads the samples of packets, exact to the frame: packets overlap, and an encoder adds frames at the begin and at
/// the end, which are left out.
final class AACReader: SoundBackend {
    /// Packets that are decoded before the one that is wanted, since each needs what the one before left.
    private static let preroll = 2
    /// Packets of which the first that can be decoded says what comes out, and those that may be broken in a row.
    private static let (firstAttempts, mostBroken) = (8, 64)

    let rate: Int
    let channels: Int
    private(set) var frames: Int?
    private let source: any PacketSource
    private let decoder: AACDecoder
    /// Frames of a packet, and those before the first of the sound.
    private let packetFrames: Int
    private let priming: Int

    /// The packet that is decoded next, and frames that come out of it and are not wanted.
    private var index = 0
    private var unwanted: Int
    /// The frame that is read next.
    private var position = 0
    private var ready: ArraySlice<Float> = []
    private var broken = 0
    private(set) var failure: String?

    init(_ source: any PacketSource, name: String) throws(SoundFileError) {
        self.source = source
        guard let decoder = AACDecoder(source.format.codec, config: source.format.config) else {
            throw SoundFileError(.unsupported, "\(name) is AAC of a kind that cannot be decoded")
        }
        var first: AACDecoder.Block?
        var tried: [PacketOutcome] = []
        while first == nil, tried.count < Self.firstAttempts {
            let outcome = source.packet(tried.count)
            tried.append(outcome)
            guard case .packet(let bytes) = outcome else { break }
            first = decoder.decode(bytes)
        }
        guard let first else { throw SoundFileError(.broken, "\(name) cannot be read: none of it can be decoded") }
        (self.decoder, rate, channels, packetFrames) = (decoder, first.rate, first.channels, first.frames)
        let extent = source.count.flatMap { count in
            source.format.extent(first.rate, count * first.frames)
        }
        (priming, frames) = (extent?.priming ?? 0, extent?.frames)
        unwanted = priming
        if source.isSeekable {
            decoder.flush()
        } else {
            // These do not come again.
            ready = first.samples[...]
            index = tried.count
        }
    }

    func read(_ count: Int) -> [Float] {
        var samples: [Float] = []
        let wanted = min(count, frames.map { $0 - position } ?? count) * channels
        while samples.count < wanted {
            if ready.isEmpty, !decodeNext() { break }
            let part = ready.prefix(wanted - samples.count)
            samples += part
            ready = ready.dropFirst(part.count)
        }
        position += samples.count / channels
        return samples
    }

    /// Has something ready, if there is more.
    private func decodeNext() -> Bool {
        guard failure == nil else { return false }
        while ready.isEmpty {
            let bytes: Data
            switch source.packet(index) {
            case .packet(let packet): bytes = packet
            case .failed(let why):
                failure = why
                return false
            case .end:
                // Only now it is known.
                if frames == nil { frames = position }
                return false
            }
            index += 1
            ready = whole(decoder.decode(bytes))
            if broken > Self.mostBroken {
                failure = "\(broken) packets in a row cannot be decoded"
                ready = []
                return false
            }
            let dropped = min(unwanted, ready.count / channels)
            unwanted -= dropped
            ready = ready.dropFirst(dropped * channels)
        }
        return true
    }

    /// As many frames as a packet has, so that all that follows is in its place: silence for one that is broken.
    private func whole(_ block: AACDecoder.Block?) -> ArraySlice<Float> {
        let count = packetFrames * channels
        guard let block, block.channels == channels, block.rate == rate else {
            broken += 1
            return [Float](repeating: 0, count: count)[...]
        }
        broken = 0
        if block.samples.count == count { return block.samples[...] }
        return block.samples.prefix(count) + [Float](repeating: 0, count: max(0, count - block.samples.count))
    }

    func seek(to frame: Int) -> Int? {
        guard source.isSeekable else { return nil }
        let target = max(0, min(frame, frames ?? frame))
        let (all, isTooFar) = target.addingReportingOverflow(priming)
        guard !isTooFar else { return nil }
        index = max(0, all / packetFrames - Self.preroll)
        unwanted = all - index * packetFrames
        (ready, position, broken, failure) = ([], target, 0, nil)
        decoder.flush()
        return target
    }

    func write(_ samples: [Float]) -> Int { 0 }
    func close() -> Bool { true }
}
