import Commands
import Foundation
import Glibc
import Testing
import Wire

/// A terminal as a user has one.
private final class UserTerminal {
    private(set) var keys: Int32 = -1
    private(set) var device: Int32 = -1

    init(rows: UInt16, columns: UInt16) throws {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard unsafe openpty(&keys, &device, nil, nil, &size) == 0 else { throw POSIXError(.ENODEV) }
    }

    deinit {
        close(keys)
        close(device)
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.write(keys, bytes, bytes.count)
    }

    var settings: [UInt32] {
        var settings = termios()
        unsafe tcgetattr(device, &settings)
        return [settings.c_iflag, settings.c_oflag, settings.c_lflag]
    }
}

/// The process that holds an app's terminal, as far as a peer sees it.
private final class Holder: @unchecked Sendable {  // Used by one thread at a time.
    private let listener: Int32
    private var peer: Int32 = -1

    init(folder: String) throws { listener = try FakeDaemon.listener(folder: folder, name: "tty") }

    deinit {
        close(listener)
        if peer >= 0 { close(peer) }
    }

    func greet(_ text: String) throws {
        try Patience.wait(for: listener, "a tool that attaches")
        peer = accept(listener, nil, nil)
        let bytes = Array(text.utf8)
        _ = unsafe send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Reads as many bytes, or all up to the end.
    func receive(_ count: Int = .max) throws -> [UInt8] {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1024)
        while received.count < count {
            try Patience.wait(for: peer, "a frame")
            let got = unsafe read(peer, &buffer, min(buffer.count, count - received.count))
            guard got > 0 else { break }
            received += buffer[..<got]
        }
        return received
    }

    func hangUp() { shutdown(peer, Int32(SHUT_RDWR)) }
}

/// One test at a time: these commands take the signals of the whole process.
@Suite(.serialized)
enum SignalTakers {}

extension SignalTakers {
    @Suite("attach")
    struct AttachTests {
        private static func daemon(_ tool: Tool, state: String = "active") throws -> FakeDaemon {
            let path = "\(tool.home)/tty"
            var vim = Sample.vim
            vim.state = state
            let apps = AppInfo.json(of: [vim])
            return try FakeDaemon(in: tool.home) { .result($0.method == "apps" ? apps : ["path": .string(path)]) }
        }

        @Test("The window's size, keys and output pass; Ctrl-] detaches and the terminal is as before")
        func session() throws {
            let tool = try Tool()
            let (daemon, holder) = (try Self.daemon(tool), try Holder(folder: tool.home))
            let terminal = try UserTerminal(rows: 24, columns: 80)
            let before = terminal.settings
            tool.input = terminal.device
            let running = tool.start("attach", "vim")
            try holder.greet("history\u{1B}[1m")
            try running.output.wait(for: "history\u{1B}[1m")
            #expect(terminal.settings != before)
            #expect(try holder.receive(7) == [UInt8(ascii: "w"), 0, 4, 0, 24, 0, 80])
            terminal.type("i\u{3}")
            #expect(try holder.receive(5) == [UInt8(ascii: "d"), 0, 2, UInt8(ascii: "i"), 3])
            terminal.type("x\u{1D}")
            #expect(
                try running.outcome()
                    == Tool.Outcome(code: 0, output: "history\u{1B}[1m", errors: "greenroom: detached from vim\n"))
            #expect(try holder.receive() == [UInt8(ascii: "d"), 0, 1, UInt8(ascii: "x")])
            #expect(terminal.settings == before)
            withExtendedLifetime(daemon) {}
        }

        @Test("A changed window is told at once")
        func resize() throws {
            let tool = try Tool()
            let (daemon, holder) = (try Self.daemon(tool), try Holder(folder: tool.home))
            let terminal = try UserTerminal(rows: 24, columns: 80)
            tool.input = terminal.device
            let running = tool.start("attach", "vim")
            try holder.greet("ready")
            #expect(try holder.receive(7).suffix(4) == [0, 24, 0, 80])
            var size = winsize(ws_row: 50, ws_col: 300, ws_xpixel: 0, ws_ypixel: 0)
            #expect(unsafe ioctl(terminal.keys, UInt(TIOCSWINSZ), &size) == 0)
            kill(getpid(), SIGWINCH)
            #expect(try holder.receive(7) == [UInt8(ascii: "w"), 0, 4, 0, 50, 1, 44])
            terminal.type("\u{1D}")
            #expect(try running.outcome().code == 0)
            withExtendedLifetime(daemon) {}
        }

        @Test("When the app ends the terminal is restored, out of any full-screen mode")
        func ended() throws {
            let tool = try Tool()
            let (daemon, holder) = (try Self.daemon(tool), try Holder(folder: tool.home))
            let terminal = try UserTerminal(rows: 24, columns: 80)
            let before = terminal.settings
            tool.input = terminal.device
            tool.isTerminal = true
            let running = tool.start("attach", "VIM")
            try holder.greet("\u{1B}[?1049h")
            try running.output.wait(for: "1049h")
            holder.hangUp()
            let outcome = try running.outcome()
            #expect(outcome.code == 0)
            #expect(outcome.output.hasPrefix("\u{1B}[?1049h\u{1B}[?1049l"))
            #expect(outcome.errors == "greenroom: VIM ended\n")
            #expect(terminal.settings == before)
            withExtendedLifetime(daemon) {}
        }

        @Test("Keys from a pipe are sent, and the end of the pipe detaches")
        func pipe() throws {
            let tool = try Tool()
            let (daemon, holder) = (try Self.daemon(tool, state: "suspended"), try Holder(folder: tool.home))
            let pipe = Pipe()
            tool.input = pipe.fileHandleForReading.fileDescriptor
            let running = tool.start("attach", "vim")
            try holder.greet("")
            try pipe.fileHandleForWriting.write(contentsOf: Data(":q\u{1D}\n".utf8))
            try pipe.fileHandleForWriting.close()
            #expect(try holder.receive() == [UInt8(ascii: "d"), 0, 4] + Array(":q\u{1D}\n".utf8))
            let outcome = try running.outcome()
            #expect(outcome.code == 0)
            #expect(outcome.errors.contains("vim is suspended and does not see your keys until greenroom open vim"))
            withExtendedLifetime((daemon, pipe)) {}
        }

        @Test("A terminal that is gone is an error")
        func gone() throws {
            let tool = try Tool()
            let daemon = try Self.daemon(tool)
            let outcome = tool.run("attach", "vim")
            #expect(outcome.code == 1)
            #expect(outcome.errors.contains("Is the app still running?"))
            withExtendedLifetime(daemon) {}
        }
    }
}
