internal import Dispatch
internal import Synchronization
internal import Wire

/// Where the answer to a request goes.
enum Completion: Sendable {
    case main(@MainActor @Sendable (Result<JSONValue, RPCError>) -> Void)
    case waiter(Waiter<JSONValue>)
    /// The answer comes with a descriptor.
    case descriptor(Waiter<OwnedDescriptor>)
}

/// A thread that waits for an answer. The reader thread gives it, so the main thread may be the one that waits.
final class Waiter<Answer: Sendable>: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let answer = Mutex<Result<Answer, RPCError>?>(nil)

    func give(_ result: Result<Answer, RPCError>) {
        answer.withLock { $0 = result }
        semaphore.signal()
    }

    /// `nil` when the time is over.
    func wait(seconds: Double) -> Result<Answer, RPCError>? {
        _ = semaphore.wait(timeout: .now() + seconds)
        return answer.withLock { $0 }
    }
}

/// What the app remembers from one connection to the next. No I/O.
///
/// An *epoch* counts connections: what was meant for one connection is never written to a later one.
struct Session: Sendable {
    enum Incoming: Sendable {
        case callback(Callback)
        case ping(RPCID)
        case answer([UInt8])
        case complete(Completion, Result<JSONValue, RPCError>)
        /// The daemon knows us; the lines are requests that it has not answered.
        case greeted(JSONValue, [[UInt8]])
        case refused(RPCError)
        case notified(AppNotification, JSONValue)
        case nothing
    }

    private struct Pending: Sendable {
        let method: AppMethod
        let params: JSONValue
        let completion: Completion

        func line(_ id: Int64) -> [UInt8] {
            RPCMessage.request(id: .int(id), method: method.rawValue, params: params).encoded()
        }
    }

    private let client: String
    private(set) var epoch = 0
    private var isGreeted = false
    private var helloID: Int64 = 0
    private var lastID: Int64 = 0
    private var ledger = CallbackLedger()
    private var pending: [Int64: Pending] = [:]

    init(client: String) { self.client = client }

    /// The first line of a new connection.
    mutating func connect() -> [UInt8] {
        epoch += 1
        isGreeted = false
        lastID += 1
        helloID = lastID
        let params: JSONValue = [
            "protocol": .int(Int64(protocolVersion)), "client": .string(client), "executed": ledger.executed,
        ]
        return RPCMessage.request(id: .int(helloID), method: AppMethod.hello.rawValue, params: params).encoded()
    }

    /// The line to send now; `nil` if it is sent once the daemon has answered `hello`.
    mutating func request(_ method: AppMethod, _ params: JSONValue, _ completion: Completion) -> [UInt8]? {
        lastID += 1
        let request = Pending(method: method, params: params, completion: completion)
        pending[lastID] = request
        return isGreeted ? request.line(lastID) : nil
    }

    /// The answer to a callback whose delegate method has returned.
    mutating func finish(_ callback: Callback, _ result: JSONValue) -> [UInt8] {
        ledger.finish(callback.seq, result)
        return RPCMessage.response(id: .int(callback.seq), result: result).encoded()
    }

    mutating func receive(_ line: [UInt8]) -> Incoming {
        do throws(RPCParseError) {
            switch try RPCMessage.parse(line) {
            case .request(let id, let method, let params): return call(id, method, params)
            case .notification(let method, let params):
                // One that a later daemon sends means nothing to this app.
                return AppNotification(rawValue: method).map { .notified($0, params) } ?? .nothing
            case .response(let id, let result): return complete(id, .success(result))
            case .failure(let id?, let error): return complete(id, .failure(error))
            // Our line was not readable: nobody waits for this.
            case .failure(nil, _): return .nothing
            }
        } catch {
            return .answer(error.answer.encoded())
        }
    }

    private mutating func call(_ id: RPCID, _ method: String, _ params: JSONValue) -> Incoming {
        if method == AppMethod.ping.rawValue { return .ping(id) }
        guard let name = CallbackName(rawValue: method) else {
            return .answer(RPCMessage.failure(id: id, .methodNotFound(method)).encoded())
        }
        let seq: Int
        do throws(RPCError) {
            seq = try params.int("seq")
        } catch {
            return .answer(RPCMessage.failure(id: id, error).encoded())
        }
        guard id == .int(Int64(seq)) else {
            let error = RPCError.invalidParameter("seq", "the id of a callback equals its seq")
            return .answer(RPCMessage.failure(id: id, error).encoded())
        }
        switch ledger.receive(Int64(seq)) {
        case .new: return .callback(Callback(seq: Int64(seq), name: name, params: params))
        case .answered(let result): return .answer(RPCMessage.response(id: id, result: result).encoded())
        case .running: return .nothing
        }
    }

    private mutating func complete(_ id: RPCID, _ result: Result<JSONValue, RPCError>) -> Incoming {
        guard case .int(let number) = id else { return .nothing }
        if number == helloID {
            helloID = 0
            switch result {
            case .success(let answer):
                isGreeted = true
                return .greeted(answer, pending.sorted { $0.key < $1.key }.map { $0.value.line($0.key) })
            case .failure(let error): return .refused(error)
            }
        }
        guard let request = pending.removeValue(forKey: number) else { return .nothing }
        return .complete(request.completion, result)
    }
}
