internal import AVFAudio
internal import Foundation
internal import LinuxSystem
internal import NotificationsWire

/// The program `greenroom-sound`. It reads an app's sound from its input and writes it to its output as 16-bit WAV,
/// which every desktop plays. Decoding runs in this process because the service has the notifications of all apps.
enum SoundProgram {
    /// Frames a second, and channels, that are enough for a notification.
    private static let (highestRate, mostChannels) = (48_000, 2)
    private static let framesAtOnce = 4096

    static func run() -> NotificationSoundOutcome {
        guard let input = FileBytes(descriptor: 0) else { return .unreadable }
        do {
            let sound = try SoundFile.open(SoundAccess(input), name: "the sound")
            guard let file = wave(of: sound) else { return .tooLong }
            guard !file.isEmpty else { return .unreadable }
            try Descriptor(borrowing: 1).writeAll(file)
            return .converted
        } catch let error as SoundFileError {
            StandardError.write("greenroom-sound: \(error)\n")
            return .unreadable
        } catch {
            StandardError.write("greenroom-sound: \(error)\n")
            return .unwritable
        }
    }

    /// Returns an empty array if the sound has no frames, or `nil` if it is too long for a notification.
    private static func wave(of sound: SoundFile) -> [UInt8]? {
        let rate = min(sound.rate, highestRate)
        let channels = min(sound.channels, mostChannels)
        let most = NotificationSoundOutcome.longestSeconds * rate
        var resampler = Resampler(
            fromRate: Double(sound.rate), toRate: Double(rate), fromChannels: sound.channels, toChannels: channels)
        var frames: [UInt8] = []
        while true {
            let samples = resampler.next(framesAtOnce) { sound.read($0) }
            guard !samples.isEmpty else { break }
            for sample in samples {
                let value = Int16((max(-1, min(1, sample)) * 32_767).rounded())
                frames += value.littleEndianBytes
            }
            guard frames.count / (2 * channels) <= most else { return nil }
        }
        return frames.isEmpty ? [] : header(rate, channels, frames.count) + frames
    }

    private static func header(_ rate: Int, _ channels: Int, _ bytes: Int) -> [UInt8] {
        let frame = 2 * channels
        var header = Array("RIFF".utf8) + Int32(36 + bytes).littleEndianBytes + Array("WAVEfmt ".utf8)
        // The format chunk has 16 bytes. Format 1 is linear PCM.
        header += Int32(16).littleEndianBytes + Int16(1).littleEndianBytes + Int16(channels).littleEndianBytes
        header += Int32(rate).littleEndianBytes + Int32(rate * frame).littleEndianBytes
        header += Int16(frame).littleEndianBytes + Int16(16).littleEndianBytes
        return header + Array("data".utf8) + Int32(bytes).littleEndianBytes
    }
}

extension FixedWidthInteger {
    fileprivate var littleEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }
}
