import ServiceTesting
import TransferWire
import Wire

extension TestPeer {
    /// An event that a delegate is to be told.
    struct Event {
        let id: RPCID
        let info: TransferEventInfo
    }

    /// The next event; it is not answered yet.
    func event(within seconds: Double = 20) throws -> Event {
        let message = try take("an event", within: seconds) { message in
            if case .request(_, "event", _) = message { true } else { false }
        }
        guard case .request(let id, _, let params) = message else { throw Closed() }
        return Event(id: id, info: try TransferEventInfo(json: params))
    }

    /// The delegate has returned.
    func answer(_ event: Event, _ result: JSONValue = [:]) throws { try send(.response(id: event.id, result: result)) }
}
