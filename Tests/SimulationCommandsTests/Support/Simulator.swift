import Commands
import Foundation
import Model
import SimulationCommands

/// Collects what a command prints.
final class Printed: Sink {
    private var bytes: [UInt8] = []
    func write(_ more: [UInt8]) { bytes += more }
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Runs `greenroom-simulator` in a folder of its own and keeps what the user would read.
final class Simulator {
    struct Outcome: Equatable {
        var code: Int32
        var output: String
        var errors: String
    }

    let folder: String
    var environment: [String: String] = [:]
    /// 2026-11-21 12:03:09.5 in a place two hours ahead of UTC.
    var now = WallTime(nanoseconds: 1_795_255_389_500_000_000)

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/greenroom-simulator-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func run(_ arguments: String...) -> Outcome {
        let (output, errors, now) = (Printed(), Printed(), now)
        let context = CommandContext(
            environment: environment, workingDirectory: folder, programFolder: "", input: -1, output: output,
            errors: errors, outputIsTerminal: false, clock: Moment.Clock(now: { now }, offset: { _ in 7200 }))
        let code = SimulatorCommand.main(arguments: arguments, in: context)
        return Outcome(code: code, output: output.text, errors: errors.text)
    }
}
