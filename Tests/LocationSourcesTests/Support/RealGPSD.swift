import LinuxSystem
import LocationSources
import TestBus
import Testing

/// A gpsd of a test's own.
enum RealGPSD {
    static let (program, fake, python) = ("/usr/sbin/gpsd", "/usr/bin/gpsfake", "/usr/bin/python3")
    static let isThere = [program, fake, python].allSatisfy(FileSystem.exists)
    static let missing = "NOT TESTED: needs gpsd and gpsfake (Debian: gpsd gpsd-clients gpsd-tools)"
    private static let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]

    /// A port that no program uses now.
    static func freePort() throws -> UInt16 {
        let script = "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])"
        let text = try TestProgram.run(python, ["-c", script]).output
        return try #require(UInt16(text.split(separator: "\n").first ?? ""))
    }

    /// Listens to a receiver that is reached by TCP.
    static func start(port: UInt16, receiver: UInt16) throws -> TestProgram {
        try TestProgram(program, ["-N", "-S", "\(port)", "tcp://127.0.0.1:\(receiver)"], environment: environment)
    }

    /// A file that is there while its owner is.
    final class Log: Sendable {
        let path: String

        init(_ text: String, _ port: UInt16) throws {
            path = "/tmp/greenroom-nmea-\(CurrentProcess.pid)-\(port)"
            try FileSystem.replace(path, with: Array(text.utf8), mode: 0o644)
        }

        deinit { FileSystem.remove(path) }
    }

    /// A receiver that says the same again and again, a moment each 50 ms, to all that connect.
    final class Receiver: Sendable {
        let port: UInt16
        private let program: TestProgram
        private let log: Log

        init(_ text: String) throws {
            log = try Log(text, freePort())
            let script = """
                import socket, sys, threading, time
                lines = open(sys.argv[1], newline="").read().splitlines(True)
                s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(8)
                print(s.getsockname()[1], flush=True)
                def feed(c):
                    try:
                        while True:
                            for i in range(0, len(lines), 2):
                                c.sendall((lines[i] + lines[i + 1]).encode()); time.sleep(0.05)
                    except OSError: pass
                while True: threading.Thread(target=feed, args=(s.accept()[0],), daemon=True).start()
                """
            program = try TestProgram(python, ["-c", script, log.path])
            port = try #require(UInt16(try program.line()))
        }
    }

    /// gpsfake, which plays a receiver to a gpsd that it starts.
    final class Fake: Sendable {
        private let port: UInt16
        private let program: TestProgram
        private let log: Log

        init(_ text: String, port: UInt16) throws {
            self.port = port
            log = try Log(text, port)
            program = try TestProgram(
                fake, ["-q", "-S", "-c", "0.05", "-P", "\(port)", log.path], environment: environment)
        }

        deinit {
            // gpsfake leaves its gpsd behind when it is killed.
            kill()
            program.kill()
        }

        /// Ends its gpsd, as `kill -9` does.
        func kill() { for process in processes { try? process.send(9) } }

        private var processes: [PidFD] {
            let arguments = [RealGPSD.program, "-S", "\(port)"]
            return FileSystem.names(in: "/proc").compactMap { name -> PidFD? in
                guard let pid = CInt(name), let bytes = FileSystem.read("/proc/\(name)/cmdline") else { return nil }
                let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
                return arguments.allSatisfy(words.contains) ? try? PidFD(pid) : nil
            }
        }
    }

    /// How many connections to a port of this machine are open, as the kernel counts them.
    static func connections(to port: UInt16) -> Int {
        let hexadecimal = "0000" + String(port, radix: 16, uppercase: true)
        let end = ":" + hexadecimal.suffix(4)
        let text = String(decoding: FileSystem.read("/proc/net/tcp") ?? [], as: UTF8.self)
        return text.split(separator: "\n").filter { line in
            let words = line.split(separator: " ")
            return words.count > 3 && words[2].hasSuffix(end) && words[3] == "01"
        }.count
    }
}
