import Glibc
import Host
import LinuxSystem
import SystemPackage
import Testing

@Suite("Letting peers in")
struct AcceptorTests {
    private let path = "/tmp/greenroom-acceptor-\(CurrentProcess.pid)-\(Clock.monotonic())"

    @Test("Each peer that connects is let in")
    func accepted() throws {
        let listener = try UnixSocket.listen(at: path, mode: 0o600)
        defer { FileSystem.remove(path) }
        let loop = try Loop()
        var count = 0
        let acceptor = try Acceptor(listener, loop) { _ in
            count += 1
            if count == 20 { loop.stop() }
        }
        let peers = try (0..<20).map { _ in try UnixSocket.connect(to: path) }
        try loop.run { nil }
        withExtendedLifetime((acceptor, peers)) { #expect(count == 20) }
    }

    @Test("A socket that takes nobody any more ends the loop with its error, so that no daemon stays deaf")
    func ended() throws {
        let listener = try UnixSocket.listen(at: path, mode: 0o600)
        defer { FileSystem.remove(path) }
        let loop = try Loop()
        let acceptor = try Acceptor(listener, loop) { _ in }
        loop.after(nanoseconds: 1_000_000) { _ = shutdown(listener.rawValue, CInt(SHUT_RDWR)) }
        // The loop would go on for ever.
        loop.after(nanoseconds: 10_000_000_000) { loop.stop() }
        let error = #expect(throws: SystemError.self) { try loop.run { nil } }
        #expect(error?.errno == .socketShutdown)
        withExtendedLifetime(acceptor) { #expect(!loop.isStopped) }
    }
}
