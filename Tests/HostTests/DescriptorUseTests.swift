import Glibc
import Host
import LinuxSystem
import Model
import PolicyCore
import Testing

@Suite("What a process has open")
struct DescriptorUseTests {
    @Test("It is counted as the kernel counts it")
    func count() throws {
        let before = try #require(DescriptorUse(of: CurrentProcess.pid))
        let pipes = try (0..<50).map { _ in try EventFD() }
        let after = try #require(DescriptorUse(of: CurrentProcess.pid))
        // Other tests run beside it.
        #expect(after.open >= 50 && after.open - before.open > 0 && after.limit == before.limit)
        withExtendedLifetime(pipes) {}
    }

    @Test(
        "The soft limit is read, and what is none is not taken for one",
        arguments: [
            ("Max processes             1  2  processes\nMax open files            1024   524288   files\n", 1024),
            ("Max open files            unlimited            unlimited            files\n", nil),
            ("Max open files", nil), ("", nil), ("Max open files   99999999999999999999  1 files", nil),
        ] as [(String, Int64?)])
    func limit(text: String, limit: Int64?) {
        #expect(DescriptorUse.limit(Array(text.utf8)) == limit)
    }

    @Test("Its limit is the one that it has set itself")
    func ownLimit() throws {
        let (ours, theirs) = try UnixSocket.pair()
        let command = "ulimit -S -n 77; echo; exec cat"
        var spawn = Spawn(path: "/bin/sh", arguments: ["sh", "-c", command], environment: [])
        spawn.descriptors = [(theirs, 0), (theirs, 1), (Descriptor(borrowing: 2), 2)]
        let program = try spawn.start()
        defer {
            try? program.send(SIGKILL)
            _ = program.waitUntilDead(milliseconds: 10_000)
            _ = program.reap()
        }
        var line: [UInt8] = []
        _ = try ours.read(into: &line, upTo: 1)
        #expect(line == [10])
        let use = try #require(DescriptorUse(of: program.pid))
        #expect(use.limit == 77 && use.open >= 3)
    }

    @Test("Of who is gone, nothing is known")
    func gone() {
        #expect(DescriptorUse(of: 0x3fff_fff0) == nil)
    }
}
