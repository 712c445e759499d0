package import Foundation

/// FFmpeg's program, which makes files that Greenroom does not write.
package enum Encoder {
    package static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg")
    /// Why a test that needs it does not run.
    package static let isMissing = "NOT TESTED: needs ffmpeg (Debian: ffmpeg) and libavformat (Debian: libavformat59)"

    /// What it said instead of making a file.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Makes a file of two seconds of a sine, in the container that its name says.
    ///
    /// - Parameter options: of the output, as the program has them.
    package static func make(_ url: URL, rate: Int, channels: Int, _ options: [String]) throws {
        let sine = "sine=frequency=440:sample_rate=\(rate):duration=2"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/ffmpeg")
        process.arguments =
            ["-hide_banner", "-loglevel", "error", "-nostdin", "-f", "lavfi", "-i", sine]
            + (options.contains("-c:v") ? ["-f", "lavfi", "-i", "testsrc=size=64x64:rate=5:duration=2"] : [])
            + ["-ac", String(channels)] + options + ["-y", url.path]
        let said = Pipe()
        process.standardError = said
        try process.run()
        let words = said.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: String(decoding: words, as: UTF8.self))
        }
    }
}
