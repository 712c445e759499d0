internal import Foundation

/// Runs targets in processes of their own, and tells how they died.
struct Supervisor {
    /// The folder with the corpus and the dictionaries.
    var folder: String
    /// Where inputs go that a target died of.
    var findings: String
    var seed: UInt64

    enum End: Equatable {
        case well
        case brokenPromise
        case signal(Int32)
        case failed(Int32)

        var description: String {
            switch self {
            case .well: "nothing"
            case .brokenPromise: "a promise is broken"
            case .signal(SIGPROF): "it took more than \(Execution.longest) s of the processor"
            case .signal(SIGALRM): "it stood still"
            case .signal(let number): "it trapped, or crashed (signal \(number))"
            case .failed(let status): "the program failed (status \(status))"
            }
        }
    }

    /// True if nothing was found.
    func run(_ target: FuzzTarget, seconds: Double) throws -> Bool {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let recorder = scratch.path("recorder")
        let (end, _) = try child(target, recorder, ["--seconds", "\(seconds)", "--seed", "\(seed)"], scratch)
        let (executions, input) = FlightRecorder.read(recorder) ?? (0, [])
        let rate = seconds > 0 ? Int(Double(executions) / seconds) : 0
        guard end != .well else {
            print("\(Self.padded(target.name)) \(executions) executions, \(rate) a second")
            return true
        }
        print("\(Self.padded(target.name)) \(end.description), at execution \(executions) of seed \(seed)")
        let small = try minimise(input, target, end, scratch)
        let only = scratch.path("small")
        try Data(small).write(to: URL(fileURLWithPath: only))
        let (_, output) = try child(target, scratch.path("again"), ["--only", only], scratch)
        if !output.isEmpty { print(output) }
        try FileManager.default.createDirectory(atPath: findings, withIntermediateDirectories: true)
        let path = "\(findings)/\(target.name)-\(Self.name(of: small))"
        try Data(small).write(to: URL(fileURLWithPath: path))
        print("  \(small.count) bytes of its \(input.count) are enough: \(path)")
        print("  to see where: greenroom-fuzz replay \(target.name) \(path)")
        return false
    }

    private static func padded(_ name: String) -> String { name.padding(toLength: 12, withPad: " ", startingAt: 0) }

    /// The same input gets the same name.
    private static func name(of input: [UInt8]) -> String {
        let hash = input.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }

    // MARK: Processes

    private func child(
        _ target: FuzzTarget, _ recorder: String, _ arguments: [String], _ scratch: Scratch
    ) throws -> (End, String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["child", target.name, "--recorder", recorder, "--folder", folder] + arguments
        var environment = ProcessInfo.processInfo.environment
        environment["SWIFT_BACKTRACE"] = "enable=no"
        // What a target leaves behind when it dies goes with the rest.
        environment["TMPDIR"] = scratch.path("")
        process.environment = environment
        let output = scratch.path("output")
        try Data().write(to: URL(fileURLWithPath: output))
        process.standardError = FileHandle(forWritingAtPath: output)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let said = Corpus.contents(output).map { String(decoding: $0.suffix(2000), as: UTF8.self) } ?? ""
        let indented = said.split(separator: "\n").prefix(12).map { "  \($0)" }.joined(separator: "\n")
        return (Self.end(process), indented)
    }

    private static func end(_ process: Process) -> End {
        switch (process.terminationReason, process.terminationStatus) {
        case (.uncaughtSignal, let number): .signal(number)
        case (_, 0): .well
        case (_, Child.brokenPromise): .brokenPromise
        case (_, let status): .failed(status)
        }
    }

    // MARK: Minimising

    private static let mostTries = 300
    private static let longestMinimising = 30.0

    /// Leaves out what is not needed for the same end: pieces of half the length, then of a quarter, and so on.
    private func minimise(_ input: [UInt8], _ target: FuzzTarget, _ end: End, _ scratch: Scratch) throws -> [UInt8] {
        let clock = ContinuousClock()
        let latest = clock.now + .seconds(Self.longestMinimising)
        var tries = 0
        func dies(_ bytes: [UInt8]) throws -> Bool {
            tries += 1
            let path = scratch.path("only")
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            return try child(target, scratch.path("again"), ["--only", path], scratch).0 == end
        }
        // What depends on more than the input stays as it is.
        guard try dies(input) else { return input }
        var best = input
        var length = max(1, best.count / 2)
        while true {
            var start = 0
            while start < best.count {
                guard tries < Self.mostTries, clock.now < latest else { return best }
                var shorter = best
                shorter.removeSubrange(start..<min(start + length, best.count))
                if try dies(shorter) { best = shorter } else { start += length }
            }
            if length == 1 { return best }
            length /= 2
        }
    }
}

/// A folder for a while.
private struct Scratch {
    private let folder: String

    init() throws {
        // In memory, where there is such a place: targets write files too.
        let memory = "/dev/shm"
        let base = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        folder = "\(base)/greenroom-fuzz-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }
    func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
