internal import Model
internal import NotificationsCore
internal import NotificationsTranslation
internal import Simulation
internal import Wire

// The service that knows where the device is.
extension SimulatedNotifications {
    mutating func watch(_ app: AppIdentifier, _ places: [WatchedPlace]) {
        let number = number()
        watches[number] = app
        let params = PlaceWatch(app, places).json
        let ask = ServiceAsk(service: "location", method: PlaceMethod.watchPlaces.rawValue, params: params)
        acts.append(.ask("location", String(decoding: ask.json.encoded, as: UTF8.self), number: number))
    }

    mutating func replied(_ number: UInt64, _ reply: ServiceModelReply) {
        guard let app = watches.removeValue(forKey: number) else { return }
        switch reply {
        case .done: post(.watched(app, .watched))
        case .refused(let reason): post(.watched(app, .refused(reason)))
        case .ended: post(.watched(app, .failed))
        }
    }

    mutating func asked(_ number: UInt64, _ words: String) {
        do throws(RPCError) {
            guard let json = try? JSONValue(parsing: words) else { throw RPCError(.parseError, "it is no JSON") }
            let ask = try ServiceAsk(json: json)
            guard ask.method == PlaceMethod.placeCrossed.rawValue else { throw .methodNotFound(ask.method) }
            let crossing = try PlaceCrossing(json: ask.params)
            guard let app = AppIdentifier(crossing.app) else { throw RPCError(.unknown, "there is no such app") }
            let id = request()
            requests[id] = Asked(connection: 0, kind: .service(number: number))
            post(.placeCrossed(id, app, place: crossing.place, isEntry: crossing.entered, number: crossing.number))
        } catch {
            acts.append(.reply(number: number, .refused(error.message)))
        }
    }
}
