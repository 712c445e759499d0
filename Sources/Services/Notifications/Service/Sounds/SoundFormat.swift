/// Recognizes files that desktops play. Desktops use libcanberra, which reads WAV with linear samples and Ogg Vorbis.
package enum SoundFormat {
    /// The number of bytes that `isPlayed` needs.
    static let startLength = 64

    package static func isPlayed(_ start: [UInt8]) -> Bool {
        func has(_ text: String, at offset: Int) -> Bool { start.dropFirst(offset).starts(with: text.utf8) }
        func number(_ offset: Int) -> Int? {
            guard start.count >= offset + 2 else { return nil }
            return Int(start[offset]) | Int(start[offset + 1]) << 8
        }
        // The first packet follows the first page's header, which has 28 bytes.
        if has("OggS", at: 0) { return has("\u{1}vorbis", at: 28) }
        guard has("RIFF", at: 0), has("WAVEfmt ", at: 8) else { return false }
        guard number(20) == 1, let channels = number(22), let bits = number(34) else { return false }
        return (1...2).contains(channels) && [8, 16].contains(bits)
    }
}
