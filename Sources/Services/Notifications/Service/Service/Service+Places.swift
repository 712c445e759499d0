internal import Model
internal import NotificationsCore
internal import NotificationsTranslation
internal import ServiceKit
internal import Wire

// The service that knows where the device is: it is told which places requests wait for, and tells of crossings.
extension Service {
    func watch(_ app: AppIdentifier, _ places: [WatchedPlace]) {
        guard broker.isConnected else { return post(.watched(app, .failed)) }
        let watch = PlaceWatch(app, places)
        broker.ask("location", PlaceMethod.watchPlaces.rawValue, watch.json) { [weak self] result in
            self?.post(.watched(app, WatchAnswer(result)))
        }
    }

    func asked(_ ask: ServiceAsk, _ answer: @escaping (Result<JSONValue, RPCError>) -> Void) throws(RPCError) {
        guard ask.method == PlaceMethod.placeCrossed.rawValue else { throw .methodNotFound(ask.method) }
        let crossing = try PlaceCrossing(json: ask.params)
        guard let app = AppIdentifier(crossing.app) else { throw RPCError(.unknown, "there is no such app") }
        let request = RequestID(nextRequest)
        nextRequest += 1
        askedByServices[request] = answer
        post(.placeCrossed(request, app, place: crossing.place, isEntry: crossing.entered, number: crossing.number))
    }
}
