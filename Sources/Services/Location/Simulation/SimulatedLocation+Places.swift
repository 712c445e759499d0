internal import LocationCore
internal import LocationTranslation
internal import Model
internal import ServiceCore
internal import ServiceWire
internal import Simulation
internal import Wire

// What other services ask, and are told.
extension SimulatedLocation {
    mutating func asked(_ number: UInt64, by asker: String, _ words: String) {
        do throws(RPCError) {
            guard let json = try? JSONValue(parsing: words) else { throw RPCError(.parseError, "it is no JSON") }
            let ask = try ServiceAsk(json: json)
            let inquiry = try LocationOnWire.inquiry(ask.method, ask.params)
            let id = RequestID(self.number())
            requests[id] = LocationAsked(connection: 0, kind: .service(number: number))
            post(.asked(id, by: asker, inquiry))
        } catch {
            acts.append(.reply(number: number, .refused(error.message)))
        }
    }

    mutating func ask(_ service: String, _ question: CrossingQuestion) {
        let number = number()
        questions[number] = question
        let message = LocationOnWire.message(for: question)
        let ask = ServiceAsk(service: service, method: message.name, params: message.params)
        acts.append(.ask(service, String(decoding: ask.json.encoded, as: UTF8.self), number: number))
    }
}
