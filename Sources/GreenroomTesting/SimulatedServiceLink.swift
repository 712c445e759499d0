internal import AppRuntime
internal import Foundation
internal import Simulation
internal import Wire

/// The way of the app's code to a service of the simulated device, in the protocol that the service has on a real one.
/// One for each process of the app.
///
/// Unchecked: everything happens on the main thread.
final class SimulatedServiceLink: ServiceLink, @unchecked Sendable {
    private let service: String
    private let errand: String
    private weak let listener: (any ServiceListener)?
    private weak let code: AppCode?
    private var nextID: Int64 = 1
    private var pending: [Int64: (isErrand: Bool, completion: Answered)] = [:]
    /// Code of the app waits on this thread, while the device's time stands still.
    @TaskLocal private static var answersAtOnce = false

    /// - Parameter errand: what the app does while the service has not answered it, for people.
    init(_ service: String, errand: String, listener: any ServiceListener, code: AppCode?) {
        (self.service, self.errand, self.listener, self.code) = (service, errand, listener, code)
    }

    func start() {
        onMain { link in
            guard let code = link.code else { return }
            code.serviceLinks[link.service] = link
            code.device?.connect(link.service, code.place)
        }
    }

    func request(_ method: String, _ params: JSONValue, isErrand: Bool, completion: @escaping Answered) {
        // Also from another thread: whoever waits there has the time that he gives the service.
        let answersAtOnce = Self.answersAtOnce
        onMain { link in link.ask(method, params, isErrand, answersAtOnce, completion) }
        start()
    }

    func stop() {
        onMain { link in
            for _ in link.pending.values.filter(\.isErrand) { link.setOut(false) }
            link.pending = [:]
        }
    }

    // What was answered on another thread comes to this one before.
    func settle(_ done: @escaping @Sendable () -> Void) { onMain { _ in done() } }

    func whileWaiting(_ body: () -> Void) { Self.$answersAtOnce.withValue(true, operation: body) }

    private func onMain(_ body: @escaping @MainActor @Sendable (SimulatedServiceLink) -> Void) {
        if Thread.isMainThread { return MainActor.assumeIsolated { body(self) } }
        DispatchQueue.main.async { MainActor.assumeIsolated { body(self) } }
    }

    @MainActor private func ask(
        _ method: String, _ params: JSONValue, _ isErrand: Bool, _ answersAtOnce: Bool,
        _ completion: @escaping Answered
    ) {
        guard let code, let device = code.device else { return completion(.failure(Self.gone)) }
        let id = nextID
        nextID += 1
        let line = RPCMessage.request(id: .int(id), method: method, params: params).line
        // A test that waits for the answer itself gives the device no time.
        let isAlone = TestDevice.current.map { $0.commands == 0 } ?? false
        if answersAtOnce || isAlone {
            // Nobody needs to keep the app running meanwhile: no time passes.
            pending[id] = (false, completion)
            code.serviceLinks[service] = self
            guard let heard = device.askAtOnce(service, line, code.place) else {
                pending[id] = nil
                return completion(.failure(Self.gone))
            }
            for line in heard { self.heard(line) }
            return
        }
        guard device.ask(service, line, code.place) != nil else { return completion(.failure(Self.gone)) }
        pending[id] = (isErrand, completion)
        if isErrand { setOut(true) }
    }

    private func setOut(_ isOut: Bool) {
        let others = pending.values.count(where: \.isErrand)
        if isOut ? others == 1 : others <= 1 { ServiceErrands.shared.set(errand, isOut: isOut) }
    }

    private static let gone = RPCError(.ended, "the app's process is gone")

    // MARK: Heard

    @MainActor func heard(_ line: String) {
        guard let message = try? RPCMessage.parse(Array(line.utf8)) else { return }
        switch message {
        case .notification("hello", let greeting): listener?.greeted(greeting)
        case .notification(let method, let params): listener?.told(method, params)
        case .response(let id, let result): answered(id, .success(result))
        case .failure(let id?, let error): answered(id, .failure(error))
        case .failure(nil, _): break
        case .request(let id, let method, let params):
            guard case .int(let seq) = id else { return }
            let call = ServiceCall(seq: seq, method: method, params: params) { result in
                self.onMain { link in link.answer(id, result) }
            }
            listener?.called(call)
        }
    }

    @MainActor private func answered(_ id: RPCID, _ result: Result<JSONValue, RPCError>) {
        guard case .int(let number) = id, let entry = pending[number] else { return }
        entry.completion(result)
        if entry.isErrand { setOut(false) }
        pending[number] = nil
    }

    @MainActor private func answer(_ id: RPCID, _ result: Result<JSONValue, RPCError>) {
        guard let code else { return }
        let message: RPCMessage =
            switch result {
            case .success(let answer): .response(id: id, result: answer)
            case .failure(let error): .failure(id: id, error)
            }
        code.device?.ask(service, message.line, code.place)
    }
}

extension RPCMessage {
    /// Without its end.
    fileprivate var line: String { String(decoding: encoded().dropLast(), as: UTF8.self) }
}
