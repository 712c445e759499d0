import LinuxSystem
import TestBus

/// `playerctl`, the tool with which keyboards' media keys and panels of desktops control players.
struct Playerctl {
    static let program = "/usr/bin/playerctl"
    static let daemon = "/usr/bin/playerctld"
    static let isThere = FileSystem.exists(program) && FileSystem.exists(daemon)
    static let missing = "NOT TESTED: needs playerctl (Debian: playerctl)"

    let bus: TestBus
    /// The player that it controls; without one it finds one itself.
    var player: String?

    struct Failed: Error {
        let arguments: [String]
        let output: String
    }

    /// What it prints.
    @discardableResult
    func run(_ arguments: String...) throws -> String {
        let all = (player.map { ["--player", $0] } ?? []) + arguments
        let (output, isDone) = try TestProgram.run(Self.program, all, environment: bus.environment)
        guard isDone else { throw Failed(arguments: all, output: output) }
        return output.last == "\n" ? String(output.dropLast()) : output
    }
}
