package import AVFAudio
internal import Foundation

/// A folder that goes with the test.
package final class Folder {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("avfaudio-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}

/// Why a test of AAC does not run.
package let aacIsMissing = "NOT TESTED: needs libavformat (Debian: libavformat59)"

/// A sine of so many hertz.
package func sine(_ frame: Int, _ hertz: Double = 440, rate: Int = 44_100, level: Float = 0.5) -> Float {
    level * Float(sin(2 * .pi * hertz * Double(frame) / Double(rate)))
}

/// Writes a sine, the same in all channels, and says where.
@discardableResult
package func makeSound(
    _ url: URL, kind: SoundKind? = nil, seconds: Double = 1, rate: Int = 44_100, channels: Int = 2,
    hertz: Double = 440
) throws -> URL {
    let kind = try kind ?? SoundKind(url, [:])
    let file = try SoundFile.create(url, kind: kind, rate: rate, channels: channels)
    let frames = Int(seconds * Double(rate))
    for start in stride(from: 0, to: frames, by: 4096) {
        let block = (start..<min(start + 4096, frames)).flatMap { frame in
            [Float](repeating: sine(frame, hertz, rate: rate), count: channels)
        }
        _ = file.write(block)
    }
    file.close()
    return url
}

/// How often a second a channel goes from below zero to above: its pitch, if it is a sine.
package func pitch(_ samples: [Float], rate: Int, channels: Int = 2) -> Double {
    let side = stride(from: 0, to: samples.count, by: channels).map { samples[$0] }
    let crossings = zip(side, side.dropFirst()).count { $0 < 0 && $1 >= 0 }
    return Double(crossings) * Double(rate) / Double(max(1, side.count))
}

package func peak(_ samples: some Sequence<Float>) -> Float { samples.reduce(0) { max($0, abs($1)) } }
