internal import AppRuntime
internal import Foundation
internal import FoundationNetworking
internal import Synchronization
internal import TransferWire
internal import Wire

/// A program's end of the transfer service's wire. Everything happens on the stream's serial queue, so that whoever
/// calls a method of a session or a task waits for nothing.
///
/// When the service has restarted, every session is opened again, before anything that was not answered is said again.
// What is not behind a mutex is touched on `queue` only.
package final class TransferClient: @unchecked Sendable {
    typealias Completion = @Sendable (Result<JSONValue, RPCError>) -> Void

    private struct Pending {
        let session: String
        let line: [UInt8]
        let passenger: OwnedDescriptor?
        let completion: Completion
    }

    /// A session that is being opened, and what the service has said of its tasks so far.
    private struct Opening {
        let core: SessionCore
        var answer: TransferOpened?

        func followed(by json: JSONValue) throws(RPCError) -> TransferOpened {
            guard var answer else { return try TransferOpened(json: json) }
            let page = try TransferTaskPage(json: json)
            answer.tasks += page.tasks
            answer.more = page.more && !page.tasks.isEmpty
            return answer
        }
    }

    private struct Shared {
        var connector: (any ServiceConnector)?
        var cores: [String: SessionCore] = [:]
        /// What was asked of sessions and tasks and has not reached the queue's turn yet.
        var unsaid = 0
        var isSpeaking = false
        var speaks: (@Sendable (Bool) -> Void)?
    }

    private let stream = ServiceStream("greenroom.transfers")
    private let shared: Mutex<Shared>
    private var helloID: Int64?
    private var opens: [Int64: Opening] = [:]
    /// Sessions that the service has opened on this connection.
    private var isOpen: Set<String> = []
    private var pending: [Int64: Pending] = [:]

    var queue: DispatchQueue { stream.queue }

    /// - Parameter connector: the way to the service; `nil` if it is said later by `use`.
    package init(_ connector: (any ServiceConnector)? = nil) { shared = Mutex(Shared(connector: connector)) }

    /// The one that sessions use. In an app with UIKit that Greenroom started the system connects it with the service;
    /// other programs have the service that runs for their user.
    package static let shared: TransferClient = {
        let client = TransferClient(connector())
        client.whileSpeaking { ServiceErrands.shared.set("background transfers", isOut: $0) }
        return client
    }()

    private static func connector() -> any ServiceConnector {
        let isApp = StandaloneConnector.variable(AppEnvironment.app) != nil
        if isApp, NSClassFromString("UIKit.UIApplication") != nil { return SystemConnector() }
        let process = ProcessInfo.processInfo
        let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return StandaloneConnector(
            executable: executable ?? process.arguments.first ?? "program",
            temporaryFolder: FileManager.default.temporaryDirectory.path)
    }

    /// Says how to reach the service.
    package func use(_ connector: any ServiceConnector) {
        shared.withLock { $0.connector = connector }
        readIfNeeded()
    }

    /// Says who wants to know of each thing that the program asks for, before the method that asks returns, and when
    /// the service has answered everything. An app must not be suspended in between: what it has not said nobody says
    /// for it.
    ///
    /// - Parameter speaks: called on any thread; must not use the client.
    package func whileSpeaking(_ speaks: @escaping @Sendable (Bool) -> Void) { shared.withLock { $0.speaks = speaks } }

    /// Ends the connection for good, as the end of the process would.
    package func stop() { stream.stop() }

    /// Returns when everything is done that was on its way to the queue.
    package func drain() { queue.sync {} }

    // MARK: Sessions

    /// The core of a session; the one that lives already if there is one with that identifier.
    func core(
        _ identifier: String, for session: URLSession, _ configuration: BackgroundURLSessionConfiguration,
        _ delegate: (any URLSessionDelegate)?, _ delegateQueue: OperationQueue
    ) -> SessionCore {
        let (core, exists) = shared.withLock { shared in
            if let core = shared.cores[identifier] { return (core, true) }
            let core = SessionCore(identifier, self, session, configuration, delegate, delegateQueue)
            shared.cores[identifier] = core
            return (core, false)
        }
        if exists {
            Self.complain("A background URLSession with identifier \(identifier) already exists!")
            core.join(delegate)
        }
        return core
    }

    /// A new core has a session now: it is opened as soon as there is a connection.
    func begin(_ core: SessionCore) {
        queue.async { if self.isGreeted { self.open(core) } }
        readIfNeeded()
    }

    /// The session is invalid: its identifier is free again.
    func forget(_ core: SessionCore) {
        shared.withLock { if $0.cores[core.identifier] === core { $0.cores[core.identifier] = nil } }
        isOpen.remove(core.identifier)
        pending = pending.filter { $0.value.session != core.identifier }
        rest()
    }

    private func core(_ identifier: String) -> SessionCore? { shared.withLock { $0.cores[identifier] } }

    static func complain(_ sentence: String) {
        try? FileHandle.standardError.write(contentsOf: Data("\(sentence)\n".utf8))
    }

    // MARK: Speaking

    /// Does on the queue what asks the service for something.
    func say(_ body: @escaping @Sendable () -> Void) {
        shared.withLock { shared in
            shared.unsaid += 1
            shared.isSpeaking = true
            shared.speaks?(true)
        }
        queue.async {
            body()
            self.shared.withLock { $0.unsaid -= 1 }
            self.rest()
        }
    }

    /// On the queue, when something was said or answered: all may be.
    private func rest() {
        guard pending.isEmpty else { return }
        shared.withLock { shared in
            guard shared.isSpeaking, shared.unsaid == 0, !shared.cores.values.contains(where: \.hasBacklog) else {
                return
            }
            shared.isSpeaking = false
            shared.speaks?(false)
        }
    }

    // MARK: Speaking, on the queue

    private var isGreeted: Bool { stream.isConnected && helloID == nil }

    /// Asks the service, and asks again after a reconnection if it has not answered.
    func request(
        _ method: TransferClientMethod, _ params: JSONValue, _ session: String, with passenger: OwnedDescriptor? = nil,
        completion: @escaping Completion = { _ in }
    ) {
        let id = stream.nextID()
        let line = RPCMessage.request(id: .int(id), method: method.rawValue, params: params).encoded()
        let request = Pending(session: session, line: line, passenger: passenger, completion: completion)
        pending[id] = request
        if isOpen.contains(session) { stream.send(line, with: passenger) }
    }

    /// Answers, unless the connection on which it was asked is gone: then the service asks again.
    func answer(_ question: ServiceStream.Question, _ result: JSONValue = [:]) {
        stream.answer(question, .success(result))
    }

    /// What belongs to this connection only, and is not said again on the next one.
    private func ask(_ method: TransferClientMethod, _ params: JSONValue) -> Int64 {
        stream.ask(method.rawValue, params)
    }

    private func open(_ core: SessionCore) {
        let params = TransferOpen(session: core.identifier, configuration: core.settings).json
        opens[ask(.open, params)] = Opening(core: core)
    }

    // MARK: Hearing, on the queue

    private func hear(_ news: ServiceStream.News) {
        switch news {
        case .connected: connected()
        case .ended:
            helloID = nil
            isOpen = []
        case .asked(let question, let method, let params): called(question, method, params)
        case .told(let method, let params):
            guard method == TransferClientMessage.progress.rawValue,
                let progress = try? TransferProgress(json: params)
            else { return }
            core(progress.session)?.progress(progress)
        case .answered(let number, let result): answered(number, result)
        case .complained(let error), .unavailable(let error): Self.complain("transfer service: \(error.message)")
        }
    }

    private func connected() {
        opens = [:]
        isOpen = []
        let introduction = shared.withLock { $0.connector }?.introduction
        let hello = TransferHello.client(
            name: "BackgroundTransfer/1", app: introduction?.app, container: introduction?.container)
        helloID = ask(.hello, hello.json)
    }

    private func called(_ question: ServiceStream.Question, _ method: String, _ params: JSONValue) {
        guard method == TransferClientMessage.event.rawValue else {
            return stream.answer(question, .failure(.methodNotFound(method)))
        }
        do throws(RPCError) {
            let event = try TransferEventInfo(json: params)
            guard let core = core(event.session) else {
                throw RPCError(.unknown, "this process has no session \(event.session)")
            }
            core.receive(event, question)
        } catch {
            stream.answer(question, .failure(error))
        }
    }

    private func answered(_ number: Int64, _ result: Result<JSONValue, RPCError>) {
        if number == helloID {
            helloID = nil
            switch result {
            case .success: for core in shared.withLock({ Array($0.cores.values) }) { open(core) }
            case .failure(let error):
                Self.complain("the transfer service refuses this program: \(error.message)")
                stream.hangUp()
            }
        } else if let opening = opens.removeValue(forKey: number) {
            opened(opening, result)
        } else if let request = pending.removeValue(forKey: number) {
            request.completion(result)
        }
        rest()
    }

    private func opened(_ opening: Opening, _ result: Result<JSONValue, RPCError>) {
        let core = opening.core
        do throws(RPCError) {
            let answer = try opening.followed(by: try result.get())
            if answer.more, let last = answer.tasks.last?.task {
                let params = TransferTasksParameters(session: core.identifier, after: last).json
                opens[ask(.tasks, params)] = Opening(core: core, answer: answer)
                return
            }
            isOpen.insert(core.identifier)
            let again = pending.filter { $0.value.session == core.identifier }.sorted { $0.key < $1.key }
            core.opened(answer)
            for (_, request) in again { stream.send(request.line, with: request.passenger) }
            core.begin()
        } catch {
            core.refused(error)
        }
    }

    private func readIfNeeded() {
        guard shared.withLock({ $0.connector != nil && !$0.cores.isEmpty }) else { return }
        stream.start {
            guard let connector = self.shared.withLock({ $0.connector }) else { return nil }
            return connector.connect().map { .connected($0) } ?? .notNow
        } _: {
            self.hear($0)
        }
    }
}
