internal import LocationCore
internal import LocationModel
internal import LocationTranslation
internal import Model
internal import Simulation
internal import Wire

// What other services ask, and are told.
extension SimulatedLocation {
    mutating func asked(_ number: UInt64, by asker: String, _ words: String) {
        do throws(RPCError) {
            guard let json = try? JSONValue(parsing: words) else { throw RPCError(.parseError, "it is no JSON") }
            let ask = try ServiceAsk(json: json)
            guard ask.method == PlaceMethod.watchPlaces.rawValue else { throw .methodNotFound(ask.method) }
            let (app, places) = try PlaceWatch(json: ask.params).read()
            let id = LocationCore.RequestID(self.number())
            requests[id] = LocationAsked(connection: 0, kind: .service(number: number))
            post(.places(asker: asker, app, places, id))
        } catch {
            acts.append(.reply(number: number, .refused(error.message)))
        }
    }

    mutating func tell(_ asker: String, _ crossing: AppRecord.Crossing, _ app: AppIdentifier) {
        let number = number()
        crossings[number] = (app, crossing.number)
        let params = PlaceCrossing(app, crossing).json
        let ask = ServiceAsk(service: asker, method: PlaceMethod.placeCrossed.rawValue, params: params)
        acts.append(.ask(asker, String(decoding: ask.json.encoded, as: UTF8.self), number: number))
    }
}

extension CrossingAnswer {
    init(_ reply: ServiceModelReply) {
        switch reply {
        case .done: self = .heard
        case .refused: self = .refused
        case .ended: self = .lost
        }
    }
}
