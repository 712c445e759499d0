import Glibc
import LinuxSystem
import SystemPackage
import Testing

@Suite("Processes by descriptor")
struct PidFDTests {
    @Test(
        "An exit code and a signal are told apart",
        arguments: [
            ("exit 0", ProcessStatus.exited(0)), ("exit 37", .exited(37)), ("kill -TERM $$", .signaled(SIGTERM)),
            ("ulimit -c 0; kill -ABRT $$", .signaled(SIGABRT)),
        ])
    func statuses(script: String, expected: ProcessStatus) throws {
        #expect(try Script(script).status() == expected)
    }

    @Test("A living process has no status and is not dead; a dead one is, before it is reaped and after")
    func deadOrAlive() throws {
        let script = try Script("read line; exit 5")
        #expect(!script.process.isDead)
        #expect(script.process.reap() == nil)
        try script.stream.writeAll(Array("go\n".utf8))
        #expect(script.process.waitUntilDead(milliseconds: 5000))
        #expect(script.process.reap() == .exited(5))
        #expect(script.process.isDead)
    }

    @Test("A signal to a process that is gone reaches nobody")
    func goneIsGone() throws {
        let script = try Script("exit 0")
        #expect(script.status() == .exited(0))
        let error = #expect(throws: SystemError.self) { try script.process.send(SIGKILL) }
        #expect(error?.errno == .noSuchProcess)
    }

    @Test("Reaping one child leaves the others to those who hold them")
    func reapingIsPrecise() throws {
        let first = try Script("exit 1")
        let second = try Script("exit 2")
        #expect(first.process.waitUntilDead(milliseconds: 5000) && second.process.waitUntilDead(milliseconds: 5000))
        #expect(second.process.reap() == .exited(2))
        #expect(first.process.reap() == .exited(1))
    }

    @Test("The end of somebody else's child is known where the kernel tells")
    func strangersStatus() throws {
        // The shell's child, which the shell reaps.
        let script = try Script("sh -c 'read line; exit 9' & echo $!; wait $!; read line")
        let pid = try #require(CInt(try readLine(script.stream)))
        // A background job reads from /dev/null and ends at once; before 6.15 only its end is known.
        guard let process = try? PidFD(pid) else { return }
        #expect(process.waitUntilDead(milliseconds: 5000))
        if let status = process.reap() { #expect(status == .exited(9)) }
    }

    @Test("A number that no process has is an error")
    func noSuchProcess() {
        let error = #expect(throws: SystemError.self) { try PidFD(CInt.max) }
        #expect(error?.errno == .noSuchProcess || error?.errno == .invalidArgument)
    }

    @Test("Memory is taken back only from a process that was killed")
    func releaseMemory() throws {
        let script = try Script("read line")
        #expect(throws: SystemError.self) { try script.process.releaseMemory() }
        try script.process.send(SIGKILL)
        // Either it is still there and releases, or it is gone already.
        do throws(SystemError) {
            try script.process.releaseMemory()
        } catch {
            #expect(error.errno == .noSuchProcess || error.errno == .noFunction)
        }
        #expect(script.status() == .signaled(SIGKILL))
    }
}
