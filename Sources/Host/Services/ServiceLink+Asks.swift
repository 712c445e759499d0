internal import Wire

// What one service wants of another. The daemon hands it on, and knows as little of it as of what apps say to services.
extension ServiceLink {
    private static let mostRelayed = 64

    func relay(_ asked: ServiceAsk, _ id: RPCID) throws(RPCError) {
        guard service.asks.contains(asked.service) else {
            throw RPCError(.refused, "\(name) does not declare that it asks \(asked.service.prefix(64))")
        }
        guard relayed < Self.mostRelayed else {
            throw RPCError(.tooMuch, "\(Self.mostRelayed) requests to other services wait for their answers")
        }
        relayed += 1
        let asker = connection
        let ask = ServiceAsk(service: name, method: asked.method, params: asked.params)
        host.services.relay(ask, to: asked.service) { [weak self, weak asker] result in
            // Another process of it asked nothing.
            guard let self, let asker, connection === asker else { return }
            relayed -= 1
            switch result {
            case .success(let value): asker.send(.response(id: id, result: value))
            case .failure(let error): asker.send(.failure(id: id, error))
            }
        }
    }
}
