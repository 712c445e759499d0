import Glibc
import LinuxSystem
import ServiceTesting
import TestPace
import Testing
import TransferWire
import Wire

@Suite("Tools and conditions")
struct ToolTests {
    private func add(
        _ tool: TestPeer, _ url: String, to path: String, discretionary: Bool = false, checksum: String? = nil
    ) throws -> String {
        let add = TransferAdd(url: url, path: path, discretionary: discretionary, checksum: checksum)
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        return try TransferName(json: tool.ask("add", add.json, [Descriptor.open(folder, .directory)])).id
    }

    private func end(_ tool: TestPeer, _ id: String) throws -> TransferEnd {
        try TransferEnd(json: tool.ask("wait", TransferName(id: id).json, within: 30))
    }

    @Test("A tool's download has its name only when it is whole and right")
    func download() throws {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let tool = try service.control()
        let target = service.container + "/disk.img"
        let size = 2_000_000
        let right = try "sha-256:" + Content.digest(seed: 1, size: size)
        let url = server.url("/file", "size=\(size)&cut=1", key: "tool")
        let id = try add(tool, url, to: target, checksum: right)
        #expect(try end(tool, id).state == .done)
        #expect(FileSystem.size(of: target) == size)
        #expect(FileSystem.names(in: service.container) == ["disk.img"])
        // The answer may come before the last file is removed.
        let limit = Clock.monotonic() + Int64(Pace.seconds(10) * 1e9)
        while !FileSystem.names(in: service.home + "/files").isEmpty, Clock.monotonic() < limit {
            // The service announces no removal.
            usleep(10_000)
        }
        #expect(FileSystem.names(in: service.home + "/files") == [], "marks stay")
        let wrong = "sha-256:" + String(repeating: "0", count: 64)
        let second = try add(tool, url, to: service.container + "/wrong", checksum: wrong)
        #expect(try end(tool, second).state == .failed)
        #expect(!FileSystem.exists(service.container + "/wrong"))
        let missing = try add(tool, server.url("/file", "status=404", key: "t404"), to: service.container + "/missing")
        #expect(try end(tool, missing).error?.contains("404") == true)
        #expect(!FileSystem.exists(service.container + "/missing"))
    }

    @Test("A folder that somebody exchanged for another does not get the file")
    func exchanged() throws {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let tool = try service.control()
        let folder = service.base + "/folder"
        try FileSystem.makeDirectory(folder)
        let id = try add(tool, server.url("/file", "size=400000&rate=400000", key: "ex"), to: folder + "/file")
        try FileSystem.rename(folder, to: service.base + "/moved")
        try FileSystem.makeDirectory(folder)
        let watch = try service.control()
        _ = try? TransferEnd(json: watch.ask("wait", TransferName(id: id).json, within: 3))
        #expect(FileSystem.names(in: folder).isEmpty)
    }

    @Test("What waits says why and until when: the network, money, power; and goes on when it is there")
    func conditions() throws {
        let service = try TestService()
        let tool = try service.control()
        try tool.ask("simulate", ServiceConditions(network: .none).json)
        // An address that leads out of this machine, where nobody answers.
        let id = try add(tool, "http://192.0.2.1/x", to: service.container + "/x", discretionary: true)
        func why() throws -> TransferExplanation {
            try TransferExplanation(json: tool.ask("why", TransferName(id: id).json))
        }
        #expect(try why().condition == "network")
        try tool.ask("simulate", ServiceConditions(network: .wifi, metered: true).json)
        #expect(try why().condition == "unmetered")
        try tool.ask("simulate", ServiceConditions(network: .wifi, externalPower: false, battery: 0.2).json)
        #expect(try why().condition == "power")
        try tool.ask("pause", TransferName(id: id).json)
        #expect(try TransferList(json: tool.ask("list")).transfers.map(\.state) == [.suspended])
        try tool.ask("resume", TransferName(id: id).json)
        try tool.ask("cancel", TransferName(id: id).json)
        #expect(try end(tool, id).state == .cancelled)
    }

    @Test("Whoever watches is told how far it is, and how fast")
    func watching() throws {
        let server = try TestServer.shared.get()
        let service = try TestService()
        let tool = try service.control()
        try tool.ask("watch")
        _ = try add(
            tool, server.url("/file", "size=2000000&rate=1000000", key: "watch"), to: service.container + "/file")
        let note = try tool.take("progress with a rate") { message in
            guard case .notification("progress", let params) = message, let info = try? TransferInfo(json: params)
            else {
                return false
            }
            return info.rate > 100_000 && info.received > 0
        }
        guard case .notification(_, let params) = note else { return }
        let info = try TransferInfo(json: params)
        #expect(info.expected == 2_000_000)
        #expect(info.rate < 4_000_000)
    }

    @Test(
        "A full disk is waited for, and what was fetched before is kept",
        .enabled(if: CurrentProcess.isRoot, "NOT TESTED: needs root"))
    func fullDisk() throws {
        let server = try TestServer.shared.get()
        let service = try TestService()
        // Behind the service's back: it opens its folder anew when it starts.
        let folder = service.home + "/files"
        try Command.run("/bin/mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder])
        defer { _ = try? Command.run("/bin/umount", ["-l", folder]) }
        try service.killAndRestart()
        let tool = try service.control()
        let target = service.container + "/file"
        let id = try add(tool, server.url("/file", "size=3000000", key: "full"), to: target)
        try tool.ask("watch")
        func isWaiting(_ message: RPCMessage) -> Bool {
            guard case .notification("progress", let params) = message, let info = try? TransferInfo(json: params)
            else {
                return false
            }
            return info.waitingFor == "quota"
        }
        let known = try TransferList(json: tool.ask("list")).transfers.contains { $0.waitingFor == "quota" }
        if !known { _ = try tool.take("a wait for the disk", isWaiting) }
        // A quarter of a tiny disk is left to the system and to apps.
        #expect(try Descriptor.open(folder, .directory).space().free >= 250_000)
        try Command.run("/bin/mount", ["-o", "remount,size=16m", folder])
        try tool.ask("pause", TransferName(id: id).json)
        try tool.ask("resume", TransferName(id: id).json)
        #expect(try TransferEnd(json: tool.ask("wait", TransferName(id: id).json, within: 60)).state == .done)
        #expect(FileSystem.size(of: target) == 3_000_000)
        let ranges = try server.requests("full").compactMap { $0.headers["range"] }
        #expect(!ranges.isEmpty, "what had been fetched was fetched again")
    }
}
