internal import ArgumentParser
internal import Dispatch
internal import Foundation
internal import LinuxSystem
internal import PipeWire
internal import Wire

/// The least that a player can do: a stream of libpipewire with a tone that is there already, in a process that is
/// connected. `open`, `pause`, `start` and `close` are each answered with when they began.
struct Tone: ParsableCommand {
    @OptionGroup var sound: SoundOption

    func run() throws {
        let queue = DispatchQueue(label: "tone", qos: .userInteractive)
        let configuration = AudioStream.Configuration(server: sound.audio, name: "bench-tone", channels: 1)
        // It holds the connection while no other stream is there.
        let idle = try AudioStream(configuration, queue: queue)
        var stream: AudioStream?
        Output.write(["ready": .bool(true)])
        while let line = readLine() {
            let began = Clock.monotonic()
            switch line {
            case "open":
                let new = try AudioStream(configuration, queue: queue)
                Self.fill(new)
                new.start()
                stream = new
            case "start": stream?.start()
            case "pause": stream?.pause()
            default:
                stream?.close()
                stream = nil
            }
            Output.write(["at": .time(began)])
        }
        withExtendedLifetime(idle) {}
    }

    private static func fill(_ stream: AudioStream) {
        let samples = (0..<stream.configuration.capacity).map { frame in
            0.5 * Float(cos(2 * Double.pi * 440 * Double(frame) / Double(rate)))
        }
        _ = unsafe samples.withUnsafeBufferPointer { unsafe stream.write($0) }
    }
}
