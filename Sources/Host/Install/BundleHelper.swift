internal import LinuxSystem
internal import SystemPackage

/// The program that reads what strangers wrote, with little memory and time, in a process of its own.
struct BundleHelper: Sendable {
    let program: String

    private static let wallClockLimit: CInt = 2_000
    private static let outputLimit = 1 << 16

    /// What it printed.
    ///
    /// - Parameters:
    ///   - subject: what it looks at, as messages call it.
    ///   - path: where it may print to: a new file.
    func run(_ arguments: [String], about subject: String, output path: String) throws -> [UInt8] {
        let output = try Descriptor.open(path, .readWrite, create: 0o600)
        var spawn = Spawn(
            path: program, arguments: [program] + arguments,
            environment: ["PATH=/usr/bin:/bin", "SWIFT_BACKTRACE=enable=no"])
        spawn.descriptors = [
            (try Descriptor.open("/dev/null", .read), 0), (output, 1), (try Descriptor.open("/dev/null", .write), 2),
        ]
        spawn.limits = [.init(.addressSpace, 256 << 20), .init(.processorSeconds, 2), .init(.coreSize, 0)]
        let process = try spawn.start()
        guard process.waitUntilDead(milliseconds: Self.wallClockLimit) else {
            try? process.send(9)
            _ = process.waitUntilDead(milliseconds: 1_000)
            _ = process.reap()
            throw Installer.Failure(sentence: "\(subject) was refused: looking at it took more than 2 seconds")
        }
        let status = process.reap()
        let text = FileSystem.read(path, limit: Self.outputLimit) ?? []
        switch status {
        case .exited(0): return text
        case .exited: throw Installer.Failure(sentence: Refusal(json: text)?.refused ?? "\(subject) was refused")
        case .signaled, nil:
            throw Installer.Failure(
                sentence: "\(subject) was refused: looking at it took more than 256 MB of memory or 2 s of processor "
                    + "time")
        }
    }
}
