import Glibc
import LinuxSystem
import SystemPackage
import Testing

/// A program in Python that does something, says a line and waits; killed at the latest with this object.
final class PythonProgram {
    let process: PidFD
    let stream: Descriptor
    /// What it said: the value of `answer`.
    let answer: String

    var pid: CInt { process.pid }

    /// - Parameters:
    ///   - isHeadless: its first thread ends before it does anything, by a system call that ends only that thread; a
    ///     second one goes on.
    ///   - atEnd: what it does when `finish` is called.
    init(_ body: String, isHeadless: Bool = false, atEnd: String = "", in group: Cgroup? = nil) throws {
        let indented = { (text: String) in text.split(separator: "\n").map { "    \($0)\n" }.joined() }
        let program = """
            import ctypes, fcntl, mmap, os, platform, socket, sys, threading, time
            libc = ctypes.CDLL(None, use_errno=True)
            answer = "ready"

            def end_of_first_thread():
                libc.syscall({"x86_64": 60, "aarch64": 93}[platform.machine()], 0)

            def is_headless():
                with open("/proc/%d/stat" % os.getpid()) as stat:
                    return stat.read().rpartition(")")[2].split()[0] == "Z"

            def work(headless):
                global answer
                while headless and not is_headless():
                    time.sleep(0.001)
            \(indented(body))
                print(answer, flush=True)
                sys.stdin.read()
            \(indented(atEnd.isEmpty ? "pass" : atEnd))
                os._exit(0)

            if \(isHeadless ? "True" : "False"):
                threading.Thread(target=work, args=(True,)).start()
                end_of_first_thread()
            else:
                work(False)
            """
        let directory = try group?.directory
        let script = try Script("exec python3 -c \"$0\"") {
            $0.arguments.append(program)
            $0.cgroup = directory
        }
        self.script = script
        process = script.process
        stream = script.stream
        answer = try readLine(script.stream)
        try #require(!answer.isEmpty, "the program does not run")
    }

    private let script: Script

    /// The kernel says that its first thread has ended, and it lives.
    func expectHeadless(at location: SourceLocation = #_sourceLocation) throws {
        let stat = try #require(ProcFS().stat(pid), sourceLocation: location)
        #expect(stat.hasDeadLeader && !stat.isOver && stat.threads == 2, sourceLocation: location)
        #expect(!process.isDead, sourceLocation: location)
    }
}
