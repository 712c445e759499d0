import Foundation
import Testing
import UIKit

/// A program that holds purgeable data.
private final class Hoard {
    let program = Process()
    private let input = Pipe()
    private let output = Pipe()
    let errors = Pipe()
    private var rest = Data()

    init(_ arguments: String...) throws {
        program.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "Hoard")
        program.arguments = arguments
        program.standardInput = input
        program.standardOutput = output
        program.standardError = errors
        try program.run()
    }

    deinit {
        if program.isRunning { kill(program.processIdentifier, SIGKILL) }
    }

    func line() -> String {
        while !rest.contains(10) {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            rest.append(more)
        }
        let line = rest.prefix { $0 != 10 }
        rest = Data(rest.dropFirst(line.count + 1))
        return String(decoding: line, as: UTF8.self)
    }

    func proceed() { input.fileHandleForWriting.write(Data("\n".utf8)) }

    /// Stops it and waits until it is.
    func stop() throws {
        kill(program.processIdentifier, SIGSTOP)
        let path = "/proc/\(program.processIdentifier)/stat"
        while !(try String(contentsOfFile: path, encoding: .utf8)).contains(") T ") { sched_yield() }
    }
}

extension PurgeableDataTests {
    @Test("200 MB of a stopped process vanish from outside without its running, but for what it accesses")
    func stopped() throws {
        let hoard = try Hoard("keep", "201")
        #expect(hoard.line() == "ready")
        try hoard.stop()
        let pid = hoard.program.processIdentifier
        // A few pages wait in a processor's batch to be counted.
        #expect(try Reclaim.figure("LazyFree", of: pid) > 199 << 20, "it counts as purgeable")
        #expect(try Reclaim.figure("Private_Dirty", of: pid) < 30 << 20, "and not as dirty")
        try Reclaim.takeAll(of: pid)
        #expect(try Reclaim.figure("Rss", of: pid) < 60 << 20)
        #expect(try Reclaim.figure("LazyFree", of: pid) < 1 << 20)
        kill(pid, SIGCONT)
        hoard.proceed()
        #expect(hoard.line() == "discarded 200 valid 1 wrong 0")
        hoard.program.waitUntilExit()
    }

    @Test("Nobody takes it: every byte is there again")
    func untouched() throws {
        let hoard = try Hoard("keep", "20")
        #expect(hoard.line() == "ready")
        hoard.proceed()
        #expect(hoard.line() == "discarded 0 valid 20 wrong 0")
        hoard.program.waitUntilExit()
    }

    @Test("Use without access ends the process and says what to do")
    func misuse() throws {
        let hoard = try Hoard("misuse")
        let text = String(decoding: try hoard.errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        hoard.program.waitUntilExit()
        #expect(hoard.program.terminationReason == .uncaughtSignal)
        #expect(text.contains("Call beginContentAccess() first"))
        #expect(hoard.line().isEmpty)
    }
}
