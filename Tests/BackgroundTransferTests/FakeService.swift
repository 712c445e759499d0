import AppRuntime
import BackgroundTransfer
import Foundation
import Glibc
import LinuxSystem
import Synchronization
import TransferWire
import Wire

/// The transfer service as a client sees it, without a network: what happens to a transfer the test says. What it has
/// answered it keeps, as the real one does, over connections and over runs of the program.
final class FakeService: ServiceConnector {
    /// What a client has asked.
    struct Call: Sendable {
        let method: TransferClientMethod
        let params: JSONValue
        /// What came with it as a descriptor.
        var content: String?

        var task: Int? { params["task"]?.int }
    }

    private struct Session: Sendable {
        var tasks: [TransferTaskInfo] = []
        var nextTask: Int64 = 1
        var lastEvent: Int64 = 0
        /// Not answered so far; the first one is with the client.
        var events: [TransferEventInfo] = []
        var isOpen = false
    }

    private struct State: Sendable {
        var calls: [Call] = []
        var waiters: [(count: Int, method: TransferClientMethod, continuation: CheckedContinuation<Call, Never>)] = []
        var sessions: [String: Session] = [:]
        var connection: RawSocket?
        var line: Int64 = 0
        /// Requests that are not answered when their turn comes, as when the service dies at that moment.
        var unanswered: Set<TransferClientMethod> = []
        var refusal: RPCError?
        var questions: [Int64: (session: String, number: Int64)] = [:]
        var answers: [(number: Int64, result: JSONValue)] = []
        var diesAtAnswer = false
        /// How many tasks it tells at a time.
        var page = Int.max
        var answerWaiters: [(count: Int, continuation: CheckedContinuation<JSONValue, Never>)] = []
    }

    private let state = Mutex(State())
    private let permission = DispatchSemaphore(value: 0)

    let introduction: (app: String, container: String)? = ("org.example.tests", "/tmp")

    /// - Parameter connections: how many connections are accepted before `accept` is called.
    init(connections: Int = 1) { for _ in 0..<connections { permission.signal() } }

    // MARK: As the test wants it

    /// Accepts one connection more.
    func accept() { permission.signal() }

    /// The service dies: what it did not answer it does not know of.
    func die() { state.withLock { $0.connection?.shutDown() } }

    /// It dies when it is told the next time that a delegate has returned, and does not know it afterwards.
    func dieAtAnswer() { state.withLock { $0.diesAtAnswer = true } }

    func tell(tasks page: Int) { state.withLock { $0.page = page } }

    func leaveUnanswered(_ methods: TransferClientMethod...) { state.withLock { $0.unanswered = Set(methods) } }
    func refuseSessions(_ error: RPCError?) { state.withLock { $0.refusal = error } }

    /// As if its folder had been removed.
    func forgetEverything() { state.withLock { $0.sessions = [:] } }

    /// Something happens that a delegate is to be told.
    func emit(_ kind: TransferEventInfo.Kind, _ session: String, task: Int? = nil) {
        state.withLock { state in
            state.sessions[session, default: Session()].lastEvent += 1
            let number = state.sessions[session]?.lastEvent ?? 0
            let event = TransferEventInfo(session: session, number: number, task: task.map(Int64.init), kind: kind)
            state.sessions[session]?.events.append(event)
            if state.sessions[session]?.events.count == 1 { Self.deliver(session, &state) }
        }
    }

    func progress(_ session: String, _ task: Int, received: Int64, bytes: Int64, expected: Int64?) {
        let news = TransferProgress(
            session: session, task: Int64(task), received: received, bytes: bytes, expected: expected)
        state.withLock { state in
            _ = state.connection?.send(
                RPCMessage.notification(method: TransferClientMessage.progress.rawValue, params: news.json).encoded())
        }
    }

    /// The `count`-th request with the method, when it has come.
    func call(_ method: TransferClientMethod, _ count: Int = 1) async -> Call {
        await withCheckedContinuation { continuation in
            let found = state.withLock { state -> Call? in
                let calls = state.calls.filter { $0.method == method }
                if calls.count >= count { return calls[count - 1] }
                state.waiters.append((count, method, continuation))
                return nil
            }
            if let found { continuation.resume(returning: found) }
        }
    }

    /// The result of the `count`-th answer to an event.
    func answer(_ count: Int) async -> JSONValue {
        await withCheckedContinuation { continuation in
            let found = state.withLock { state -> JSONValue? in
                if state.answers.count >= count { return state.answers[count - 1].result }
                state.answerWaiters.append((count, continuation))
                return nil
            }
            if let found { continuation.resume(returning: found) }
        }
    }

    var calls: [TransferClientMethod] { state.withLock { $0.calls.map(\.method) } }
    var answered: [Int64] { state.withLock { $0.answers.map(\.number) } }

    // MARK: As a service

    func connect() -> RawSocket? {
        permission.wait()
        guard let (near, far) = try? UnixSocket.pair() else { return nil }
        let writer = RawSocket(owning: dup(far.rawValue))
        state.withLock { state in
            state.connection = writer
            state.questions = [:]
            for name in state.sessions.keys { state.sessions[name]?.isOpen = false }
        }
        let thread = Thread { [self] in serve(far, writer) }
        thread.start()
        return RawSocket(owning: dup(near.rawValue))
    }

    private func serve(_ socket: Descriptor, _ writer: RawSocket) {
        var framer = LineFramer()
        var passengers: [String] = []
        while true {
            var bytes: [UInt8] = []
            guard let (transfer, descriptors) = try? socket.receive(into: &bytes, upTo: 4096), transfer != .end else {
                return
            }
            passengers += descriptors.map { String(decoding: (try? $0.readAll()) ?? [], as: UTF8.self) }
            framer.append(bytes)
            while let line = try? framer.next() {
                guard let message = try? RPCMessage.parse(line) else { continue }
                take(message, writer, &passengers)
            }
        }
    }

    private func take(_ message: RPCMessage, _ socket: RawSocket, _ passengers: inout [String]) {
        switch message {
        case .request(let id, let name, let params):
            guard let method = TransferClientMethod(rawValue: name) else { return }
            var call = Call(method: method, params: params)
            if method == .create, params["kind"]?.string == "upload", !passengers.isEmpty {
                call.content = passengers.removeFirst()
            }
            let finished = call
            let ready = state.withLock { state in
                state.calls.append(finished)
                if !state.unanswered.contains(method) {
                    switch Self.answer(finished, &state) {
                    case .success(let result): socket.send(RPCMessage.response(id: id, result: result).encoded())
                    case .failure(let error): socket.send(RPCMessage.failure(id: id, error).encoded())
                    }
                    if method == .open || method == .tasks, let session = params["session"]?.string {
                        Self.deliver(session, &state)
                    }
                }
                return Self.ready(&state)
            }
            for (continuation, call) in ready { continuation.resume(returning: call) }
        case .response(.int(let id), let result):
            let ready = state.withLock { state in Self.delivered(id, result, &state) }
            for (continuation, result) in ready { continuation.resume(returning: result) }
        default: return
        }
    }

    private static func ready(_ state: inout State) -> [(CheckedContinuation<Call, Never>, Call)] {
        var ready: [(CheckedContinuation<Call, Never>, Call)] = []
        state.waiters.removeAll { waiter in
            let calls = state.calls.filter { $0.method == waiter.method }
            guard calls.count >= waiter.count else { return false }
            ready.append((waiter.continuation, calls[waiter.count - 1]))
            return true
        }
        return ready
    }

    private static func delivered(
        _ id: Int64, _ result: JSONValue, _ state: inout State
    ) -> [(CheckedContinuation<JSONValue, Never>, JSONValue)] {
        if state.diesAtAnswer {
            state.diesAtAnswer = false
            state.connection?.shutDown()
            return []
        }
        guard let (name, number) = state.questions.removeValue(forKey: id),
            state.sessions[name]?.events.first?.number == number, let event = state.sessions[name]?.events.removeFirst()
        else { return [] }
        if case .completed = event.kind { state.sessions[name]?.tasks.removeAll { $0.task == event.task } }
        state.answers.append((number, result))
        deliver(name, &state)
        var ready: [(CheckedContinuation<JSONValue, Never>, JSONValue)] = []
        state.answerWaiters.removeAll { waiter in
            guard state.answers.count >= waiter.count else { return false }
            ready.append((waiter.continuation, state.answers[waiter.count - 1].result))
            return true
        }
        return ready
    }

    private static func deliver(_ name: String, _ state: inout State) {
        guard let session = state.sessions[name], session.isOpen, let event = session.events.first else { return }
        state.line += 1
        state.questions[state.line] = (name, event.number)
        let method = TransferClientMessage.event.rawValue
        _ = state.connection?.send(
            RPCMessage.request(id: .int(state.line), method: method, params: event.json).encoded())
    }

    private static func answer(_ call: Call, _ state: inout State) -> Result<JSONValue, RPCError> {
        let name = call.params["session"]?.string ?? ""
        switch call.method {
        case .hello: return .success(["protocol": 1, "app": "org.example.tests"])
        case .open:
            if let refusal = state.refusal { return .failure(refusal) }
            let isNew = state.sessions[name] == nil
            let session = state.sessions[name, default: Session()]
            state.sessions[name] = session
            let page = list(name, after: 0, &state)
            return .success(
                TransferOpened(nextTask: session.nextTask, tasks: page.tasks, more: page.more, isNew: isNew).json)
        case .tasks:
            return .success(list(name, after: call.params["after"]?.int ?? 0, &state).json)
        case .create:
            guard let create = try? TransferCreate(json: call.params) else {
                return .failure(RPCError(.invalidParams, ""))
            }
            // A repetition has no second effect.
            guard create.task >= state.sessions[name]?.nextTask ?? 1 else { return .success([:]) }
            state.sessions[name]?.nextTask = create.task + 1
            state.sessions[name]?.tasks.append(
                TransferTaskInfo(
                    task: create.task, kind: create.kind, url: create.request.url, method: create.request.method,
                    headers: create.request.headers, cachePolicy: create.request.cachePolicy,
                    description: create.description, state: .suspended, received: 0, sent: 0, priority: create.priority)
            )
            return .success([:])
        case .resume, .suspend:
            let phase: TransferTaskState = call.method == .resume ? .running : .suspended
            edit(call, name, &state) { $0.state = phase }
            return .success([:])
        case .change:
            let description = call.params["description"]?.string
            edit(call, name, &state) { $0.description = description ?? $0.description }
            return .success([:])
        case .cancel:
            let producesResumeData = call.params["producesResumeData"]?.bool == true
            return .success(TransferCancelled(resumeData: producesResumeData ? Array("resume".utf8) : nil).json)
        case .credential, .invalidate: return .success([:])
        }
    }

    /// There are events when all tasks are told.
    private static func list(_ name: String, after number: Int, _ state: inout State) -> TransferTaskPage {
        let rest = (state.sessions[name]?.tasks ?? []).filter { $0.task > number }
        let page = TransferTaskPage(tasks: Array(rest.prefix(state.page)), more: rest.count > state.page)
        state.sessions[name]?.isOpen = !page.more
        return page
    }

    private static func edit(
        _ call: Call, _ name: String, _ state: inout State, _ body: (inout TransferTaskInfo) -> Void
    ) {
        guard let task = call.task, let index = state.sessions[name]?.tasks.firstIndex(where: { $0.task == task }),
            var info = state.sessions[name]?.tasks[index]
        else { return }
        body(&info)
        state.sessions[name]?.tasks[index] = info
    }
}
