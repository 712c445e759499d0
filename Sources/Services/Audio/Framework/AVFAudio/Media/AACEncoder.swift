internal import CMedia
internal import Foundation

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
