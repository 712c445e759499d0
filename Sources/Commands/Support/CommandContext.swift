internal import Glibc
package import Model
package import SystemPackage

/// Where a command's bytes go.
package protocol Sink: AnyObject {
    func write(_ bytes: [UInt8])
}

/// Writes to a descriptor at once, so that `--follow` and pipes see each line when it is there.
package final class DescriptorSink: Sink {
    private let descriptor: FileDescriptor
    /// What went wrong first; a full disk must not pass for success.
    package private(set) var failure: Errno?

    package init(descriptor: Int32) { self.descriptor = FileDescriptor(rawValue: descriptor) }

    package func write(_ bytes: [UInt8]) {
        guard failure == nil else { return }
        do {
            try descriptor.writeAll(bytes)
        } catch {
            failure = error as? Errno ?? .ioError
        }
    }
}

/// Everything a command sees of the world around it, so that a test can be that world.
package struct CommandContext {
    package var environment: [String: String]
    package var workingDirectory: String
    /// The folder of the program that runs.
    package var programFolder: String
    package var input: Int32
    package var output: any Sink
    package var errors: any Sink
    package var outputIsTerminal: Bool
    package var clock: Moment.Clock
    /// How long a command waits for a daemon that restarts.
    package var patience: Span
    /// How long a daemon that accepts may say nothing.
    package var silence: Span

    package init(
        environment: [String: String], workingDirectory: String, programFolder: String, input: Int32,
        output: any Sink, errors: any Sink, outputIsTerminal: Bool, clock: Moment.Clock,
        patience: Span = .seconds(5), silence: Span = .seconds(10)
    ) {
        self.environment = environment
        self.workingDirectory = workingDirectory
        self.programFolder = programFolder
        self.input = input
        self.output = output
        self.errors = errors
        self.outputIsTerminal = outputIsTerminal
        self.clock = clock
        self.patience = patience
        self.silence = silence
    }

    package func print(_ text: String) { output.write(Array((text + "\n").utf8)) }

    package func write(_ text: String) { output.write(Array(text.utf8)) }

    /// What went wrong or what to know, apart from the answer.
    package func note(_ message: String) { errors.write(Array("greenroom: \(Visible.lines(message))\n".utf8)) }

    package var style: Style {
        let refused = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
        return Style(isColoured: outputIsTerminal && !refused)
    }

    /// The path of another of Greenroom's programs.
    func program(_ name: String) throws(CommandFailure) -> String {
        let chosen = environment["GREENROOM_LIBEXEC"] ?? ""
        let path = FilePath(chosen.isEmpty ? programFolder : chosen).appending(name).string
        guard Files.isExecutable(path) else {
            throw .failed("there is no program \(path): build it (make build), or set GREENROOM_LIBEXEC to its folder")
        }
        return path
    }

    package var home: GreenroomHome {
        get throws(CommandFailure) {
            try GreenroomHome(environment: environment, workingDirectory: workingDirectory).resolved
        }
    }
}

extension CommandContext {
    /// The world of this process.
    package static func ofThisProcess() -> CommandContext {
        CommandContext(
            environment: CurrentProcess.environment, workingDirectory: CurrentProcess.workingDirectory,
            programFolder: CurrentProcess.folder, input: STDIN_FILENO,
            output: DescriptorSink(descriptor: STDOUT_FILENO),
            errors: DescriptorSink(descriptor: STDERR_FILENO), outputIsTerminal: isatty(STDOUT_FILENO) == 1,
            clock: Moment.Clock(now: CurrentProcess.now, offset: CurrentProcess.offset))
    }
}

/// What the C library says of this process.
private enum CurrentProcess {
    static var environment: [String: String] {
        var result: [String: String] = [:]
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let text = unsafe String(cString: text)
            let pair = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { result[String(pair[0])] = String(pair[1]) }
            unsafe entry += 1
        }
        return result
    }

    static var workingDirectory: String { Files.link("/proc/self/cwd") ?? "/" }

    static var folder: String {
        FilePath(Files.link("/proc/self/exe") ?? "/").removingLastComponent().string
    }

    static func now() -> WallTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func offset(_ moment: WallTime) -> Int64 {
        var seconds = time_t(moment.nanoseconds / 1_000_000_000)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return 0 }
        return unsafe Int64(parts.tm_gmtoff)
    }
}
