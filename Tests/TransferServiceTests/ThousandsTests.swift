import ServiceTesting
import Testing
import TransferWire
import Wire

@Suite("Thousands of tasks")
struct ThousandsTests {
    private static let sessions = ["one", "two"]
    private static let each: Int64 = 10_000

    private func make(_ peer: TestPeer) throws {
        for session in Self.sessions {
            try peer.ask("open", TransferOpen(session: session, configuration: TransferSettings()).json)
            for start in stride(from: Int64(1), through: Self.each, by: 100) {
                let asked = try (start..<start + 100).map { number in
                    let request = TransferRequestInfo(
                        url: "http://127.0.0.1:1/\(session)/\(number)", method: "GET",
                        headers: [WireHeader("X-Number", "\(number)")])
                    let create = TransferCreate(
                        session: session, task: number, kind: .download, request: request, description: "\(number)")
                    return try peer.begin("create", create.json)
                }
                for id in asked { _ = try peer.answer(to: id) }
            }
            let last = TransferTaskParameters(session: session, task: Self.each)
            try peer.ask("cancel", last.json)
        }
    }

    /// All tasks of a session that is being opened.
    private func tasks(_ session: String, _ opening: RPCID, _ peer: TestPeer) throws -> [TransferTaskInfo] {
        let opened = try TransferOpened(json: peer.answer(to: opening))
        #expect(opened.nextTask == Self.each + 1)
        var page = TransferTaskPage(tasks: opened.tasks, more: opened.more)
        var tasks = page.tasks
        while page.more {
            #expect(!peer.waiting.contains { Self.isEvent($0, of: session) }, "before all tasks are known")
            let params = TransferTasksParameters(session: session, after: tasks.last?.task ?? 0)
            page = try TransferTaskPage(json: peer.ask("tasks", params.json))
            tasks += page.tasks
        }
        return tasks
    }

    private static func isEvent(_ message: RPCMessage, of session: String) -> Bool {
        guard case .request(_, "event", let params) = message else { return false }
        return params["session"]?.string == session
    }

    @Test("Twenty thousand come back in lines that their program can read, and then what there is to tell of them")
    func opened() throws {
        let service = try TestService()
        try make(service.client().peer)
        try service.killAndRestart()
        let peer = try service.client().peer
        // Both at once: a session does not wait for the other's pages.
        let openings = try Self.sessions.map { session in
            let open = TransferOpen(session: session, configuration: TransferSettings())
            return (session, try peer.begin("open", open.json))
        }
        for (session, id) in openings {
            let all = try tasks(session, id, peer)
            #expect(all.map(\.task) == Array(1...Self.each))
            #expect(all.allSatisfy { $0.description == "\($0.task)" && $0.headers.count == 1 })
            let event = try peer.take("an event of \(session)") { Self.isEvent($0, of: session) }
            guard case .request(_, _, let params) = event else { return }
            #expect(params["task"]?.int == Int(Self.each) && params["kind"]?.string == "completed")
        }
        let tool = try service.control()
        var ids: [String] = []
        var list: TransferList
        repeat {
            list = try TransferList(json: tool.ask("list", TransferListParameters(after: ids.last).json))
            ids += list.transfers.map(\.id)
        } while list.more
        #expect(Set(ids).count == 20_000 && ids.count == 20_000)
    }
}
