import LinuxSystem
import Testing

@Suite("The lock of a home")
struct HomeLockTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func take() throws -> HomeLock? { try HomeLock.take(in: scratch.path, milliseconds: 20) }

    @Test("It is held as long as one of those lives who share it")
    func shared() throws {
        var first = try take()
        #expect(first != nil)
        #expect(try take() == nil)
        var second = try first.map { HomeLock(inherited: try $0.descriptor.duplicate()) }
        first = nil
        #expect(try take() == nil)
        #expect(second?.isHeld(in: scratch.path) == true)
        second = nil
        #expect(try take() != nil)
    }

    @Test("A file that lost its name is no lock of the home any more")
    func removed() throws {
        let first = try #require(try take())
        FileSystem.remove(HomeLock.path(in: scratch.path))
        let second = try #require(try take())
        #expect(!first.isHeld(in: scratch.path))
        #expect(second.isHeld(in: scratch.path))
    }

    @Test("It is found by every path of the folder, and not where a link stands in for the file")
    func paths() throws {
        let link = scratch.path + "-link"
        try FileSystem.link(to: scratch.path, at: link)
        defer { FileSystem.remove(link) }
        let lock = try #require(try take())
        #expect(try HomeLock.take(in: link, milliseconds: 20) == nil)
        FileSystem.remove(HomeLock.path(in: scratch.path))
        try FileSystem.link(to: "/dev/null", at: HomeLock.path(in: scratch.path))
        #expect(throws: SystemError.self) { try take() }
        withExtendedLifetime(lock) {}
    }

    @Test("It names a process only while that very process lives")
    func holder() throws {
        let lock = try #require(try take())
        #expect(HomeHolder(home: scratch.path) == nil)
        let start = try #require(ProcFS().stat(CurrentProcess.pid)).startTime
        try lock.name(CurrentProcess.pid, startTime: start)
        #expect(HomeHolder(home: scratch.path)?.pid == CurrentProcess.pid)
        try lock.name(CurrentProcess.pid, startTime: start + 1)
        #expect(HomeHolder(home: scratch.path) == nil)
        try lock.name(1, startTime: 1)
        #expect(HomeHolder(home: scratch.path) == nil)
    }
}
