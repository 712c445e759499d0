internal import CAAC
internal import Foundation

/// The library that knows AAC and Apple Lossless, as far as the machine has it.
package enum AACLibrary {
    /// Loads it, once.
    package static var isThere: Bool { gr_aac_load() }

    static func missing(_ what: String) -> SoundFileError {
        let package = unsafe String(cString: gr_aac_package())
        return SoundFileError(
            .unsupported, "\(what) needs a library that this machine lacks: install Debian's package \(package)")
    }
}

/// Packets to samples. One thread at a time uses it.
@safe final class AACDecoder {
    enum Codec: Hashable, Sendable { case aac, lossless }

    /// What came of a packet, interleaved.
    struct Block {
        let samples: [Float]
        let channels: Int
        let rate: Int
        var frames: Int { samples.count / channels }
    }

    private let handle: OpaquePointer

    /// - Parameter config: what files have of it. `nil` where the library refuses.
    init?(_ codec: Codec, config: [UInt8]) {
        let opened = unsafe config.withUnsafeBufferPointer { config in
            unsafe config.baseAddress.flatMap {
                unsafe gr_aac_decoder_open(codec == .aac ? GR_AAC : GR_ALAC, $0, config.count)
            }
        }
        guard let opened = unsafe opened else { return nil }
        unsafe handle = unsafe opened
    }

    deinit { unsafe gr_aac_decoder_close(handle) }

    /// `nil` where it is no packet.
    func decode(_ packet: Data) -> Block? {
        unsafe packet.withUnsafeBytes { bytes -> Block? in
            guard let base = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
            let frames = unsafe gr_aac_decoder_decode(handle, base, bytes.count)
            guard unsafe frames.frames > 0, let samples = unsafe frames.samples else { return nil }
            let count = unsafe Int(frames.frames) * Int(frames.channels)
            let all = unsafe UnsafeBufferPointer(start: samples, count: count).map { $0.isFinite ? $0 : 0 }
            return unsafe Block(samples: all, channels: Int(frames.channels), rate: Int(frames.rate))
        }
    }

    /// What follows is from elsewhere.
    func flush() { unsafe gr_aac_decoder_flush(handle) }
}

/// Samples to packets. One thread at a time uses it.
@safe final class AACEncoder {
    private let handle: OpaquePointer
    private let channels: Int
    /// Frames in a packet.
    let packetFrames: Int
    /// Frames that come out before the first that went in.
    let delay: Int
    /// What files have of it.
    let config: [UInt8]

    /// `nil` where the library refuses such a rate, or so many channels.
    init?(rate: Int, channels: Int, bitRate: Int) {
        guard let opened = unsafe gr_aac_encoder_open(UInt32(rate), UInt32(channels), UInt32(clamping: bitRate))
        else { return nil }
        unsafe handle = unsafe opened
        self.channels = channels
        packetFrames = Int(unsafe gr_aac_encoder_packet_frames(opened))
        delay = Int(unsafe gr_aac_encoder_delay(opened))
        config = unsafe [UInt8](unsafeUninitializedCapacity: 64) { buffer, used in
            guard let base = buffer.baseAddress else { return }
            used = min(64, Int(unsafe gr_aac_encoder_config(opened, base, 64)))
        }
    }

    deinit { unsafe gr_aac_encoder_close(handle) }

    private final class Packets { var all: [Data] = [] }

    /// Takes a packet's frames, fewer for the last time, none to have what waits. `nil` where it fails.
    func encode(_ samples: ArraySlice<Float>) -> [Data]? {
        let packets = Packets()
        let owner = unsafe Unmanaged.passUnretained(packets).toOpaque()
        // Something has to be there to be pointed to.
        let given = samples.isEmpty ? [0] : samples
        let isDone = unsafe given.withUnsafeBufferPointer { buffer -> Bool in
            guard let base = buffer.baseAddress else { return false }
            return unsafe gr_aac_encoder_encode(
                handle, base, UInt32(samples.count / channels),
                { owner, bytes, size in
                    let packets = unsafe Unmanaged<Packets>.fromOpaque(owner).takeUnretainedValue()
                    packets.all.append(unsafe Data(bytes: bytes, count: size))
                }, owner)
        }
        return isDone ? packets.all : nil
    }
}
