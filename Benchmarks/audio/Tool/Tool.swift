internal import ArgumentParser
internal import Foundation
internal import LinuxSystem
internal import PipeWire
internal import Wire

/// The programs that `Benchmarks/audio/bench` measures sound with: one hears what a sink plays, one presses the
/// controls of players, and one is the least that a player can do.
///
/// Each reads words from its standard input, a line each, answers each with lines of JSON, and ends with its input. All
/// times are nanoseconds of the monotonic clock.
struct AudioBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greenroom-bench-audio", abstract: "What make bench-audio measures sound with.",
        subcommands: [Hear.self, Press.self, Tone.self])
}

/// Frames per second of everything here.
let rate = 48_000

struct SoundOption: ParsableArguments {
    @Option(help: "The socket of PipeWire.")
    var server: String

    var audio: AudioServer { AudioServer(socket: server) }
}

/// Lines of JSON.
enum Output {
    static func write(_ object: JSONObject) {
        // Past the buffers of C, whose locks the reader of the standard input holds.
        FileHandle.standardOutput.write(Data((JSONValue.object(object).description + "\n").utf8))
    }
}

extension JSONValue {
    static func time(_ nanoseconds: Int64) -> JSONValue { .int(nanoseconds) }
}
