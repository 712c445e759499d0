import Foundation
import LinuxSystem
import ServiceTesting
import Testing
import TransferWire
import Wire

/// The link of a machine, as the kernel counts it, under a test's hand.
private final class CountedLink {
    private let service: TestService
    private var bytes = 0

    init(_ service: TestService) throws {
        self.service = service
        try carry(0)
    }

    /// Others have moved so many bytes.
    func carry(_ count: Int) throws {
        bytes += count
        let counts = "\(bytes) 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
        try FileSystem.replace(
            service.base + "/proc/net/dev", with: Array("head\nhead\n wire0: \(counts)\n".utf8))
    }

    /// Others move so many bytes every twentieth of a second, as often as that is so; false when that never ends.
    func carry(_ count: Int, while isSo: () throws -> Bool) throws -> Bool {
        for _ in 0..<600 {
            guard try isSo() else { return true }
            try carry(count)
            _ = service.process.waitUntilDead(milliseconds: 50)
        }
        return false
    }
}

@Suite("Giving way to an app on screen, with the real service")
struct YieldingTests {
    private let app = "org.example.app"

    private func client(_ daemon: TestDaemon, _ service: TestService) throws -> TestClient {
        let client = TestClient(try TestPeer(daemon.attach(app, service.container)))
        try client.peer.ask("hello", TransferHello.client(name: "test/1", app: nil, container: nil).json)
        try client.open()
        return client
    }

    /// An address that does not say that it leads to this machine.
    private func far(_ url: String) -> String { url.replacing("127.0.0.1", with: "0.0.0.0") }

    private func all(_ tool: TestPeer) throws -> [TransferInfo] {
        try TransferList(json: tool.ask("list")).transfers
    }

    private func isHeldBack(_ tool: TestPeer, _ id: String) throws -> Bool {
        let why = try TransferExplanation(json: tool.ask("why", TransferName(id: id).json))
        return why.sentence.contains("gives way")
    }

    @Test("While others use the link, transfers in both directions move little; then they come to their end")
    func giveWay() throws {
        let server = try TestServer.shared.get()
        let service = try TestService(isSystem: true)
        let link = try CountedLink(service)
        let daemon = try service.daemon(ServiceConditions(network: .wired, appOnScreen: true))
        let client = try client(daemon, service)
        try daemon.tell(app, "background")
        try client.download(far(server.url("/file", "size=30000000&rate=2000000", key: "yield")))
        let tool = try service.control()
        let id = try #require(try all(tool).first?.id)
        #expect(try link.carry(100_000) { try !isHeldBack(tool, id) })
        let path = service.base + "/body"
        try FileSystem.replace(path, with: [UInt8](repeating: 7, count: 6_000_000))
        try client.upload(far(server.url("/upload", "", key: "yield-up")), file: Descriptor.open(path, .read), task: 2)
        // What had been let through when the limit came is on its way.
        let before = try all(tool).map { $0.received + $0.sent }.reduce(0, +)
        var looks = 0
        _ = try link.carry(100_000) {
            looks += 1
            return looks < 40
        }
        let now = try all(tool)
        #expect(now.count == 2 && now.allSatisfy { $0.state == .running })
        let moved = now.map { $0.received + $0.sent }.reduce(0, +) - before
        #expect(moved < 3_000_000, "two seconds are worth 4 MB of the download, and all of the upload")
        // The others have gone, and both end, one or the other first.
        var size: Int?
        var ended: Set<Int64> = []
        while ended.count < 2 {
            let event = try client.peer.event(within: 60)
            switch event.info.kind {
            case .finished(let place, _) where event.info.task == 1: size = FileSystem.size(of: place)
            case .completed(let completion):
                #expect(completion.error == nil)
                ended.insert(event.info.task ?? 0)
            default: break
            }
            try client.peer.answer(event)
        }
        #expect(size == 30_000_000)
        #expect(try server.upload("yield-up")?.size == 6_000_000)
    }

    @Test("A transfer whose app comes to the screen is let go at once")
    func comes() throws {
        let server = try TestServer.shared.get()
        let service = try TestService(isSystem: true)
        let link = try CountedLink(service)
        let daemon = try service.daemon(ServiceConditions(network: .wired, appOnScreen: true))
        let client = try client(daemon, service)
        try daemon.tell(app, "background")
        try client.download(far(server.url("/file", "size=20000000&rate=2000000", key: "comes")))
        let tool = try service.control()
        let id = try #require(try all(tool).first?.id)
        #expect(try link.carry(100_000) { try !isHeldBack(tool, id) })
        try daemon.tell(app, "active")
        #expect(try link.carry(100_000) { try isHeldBack(tool, id) })
        let received = try #require(try all(tool).first?.received)
        // It is not held back although the others go on.
        #expect(try link.carry(100_000) { try all(tool).first?.received ?? .max < received + 3_000_000 })
        #expect(try !isHeldBack(tool, id))
        #expect(try client.outcome(within: 60).completion.error == nil)
    }

    @Test("Without an app on screen nothing is held back")
    func nobody() throws {
        let server = try TestServer.shared.get()
        let service = try TestService(isSystem: true)
        let link = try CountedLink(service)
        let daemon = try service.daemon()
        let client = try client(daemon, service)
        try daemon.tell(app, "background")
        try client.download(far(server.url("/file", "size=4000000&rate=2000000", key: "nobody")))
        let tool = try service.control()
        let id = try #require(try all(tool).first?.id)
        var wasHeldBack = false
        #expect(
            try link.carry(100_000) {
                wasHeldBack = try wasHeldBack || isHeldBack(tool, id)
                return try all(tool).first?.received ?? .max < 4_000_000
            })
        #expect(!wasHeldBack)
        #expect(try client.outcome().completion.error == nil)
    }
}
