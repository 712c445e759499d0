package import LocationCore
package import LocationModel
internal import LocationWire
package import ServiceCore
package import ServiceWire
package import Wire

/// The words of the location service on the wire (docs/LOCATION.md).
package enum LocationOnWire: WireTranslation {
    package typealias Words = LocationWords

    package static let version = locationProtocolVersion

    package static func request(_ name: String, _ params: JSONValue) throws(RPCError) -> LocationRequest {
        guard let method = LocationClientMethod(rawValue: name) else { throw .methodNotFound(name) }
        return try LocationRequest(method, params)
    }

    package static func message(for news: LocationNews, _ number: NewsNumber) -> WireMessage {
        let told = LocationTold(seq: number, news: news)
        return WireMessage(told.message.rawValue, told.json)
    }

    package static func message(for notice: LocationNotice) -> WireMessage {
        switch notice {
        case .fixes(let fixes): message(.fixes, LocationFixes(fixes: fixes).json)
        case .failed(let code, let sentence): message(.failed, LocationFailed(code: code, message: sentence).json)
        case .heading(let heading): message(.heading, heading.json)
        case .surroundings(let surroundings): message(.surroundings, surroundings.json)
        }
    }

    private static func message(_ name: LocationClientMessage, _ params: JSONValue) -> WireMessage {
        WireMessage(name.rawValue, params)
    }

    package static func answer(_ result: Result<JSONValue, RPCError>, to news: LocationNews?) -> Nothing? { Nothing() }

    package static func result(of reply: LocationReply) -> JSONValue { reply.json }
    package static func error(of refusal: LocationRefusal) -> RPCError { RPCError(refusal) }

    package static func inquiry(_ name: String, _ params: JSONValue) throws(RPCError) -> LocationInquiry {
        guard name == PlaceMethod.watchPlaces.rawValue else { throw .methodNotFound(name) }
        let (app, places) = try PlaceWatch(json: params).read()
        return .places(app, places)
    }

    package static func message(for question: CrossingQuestion) -> WireMessage {
        WireMessage(PlaceMethod.placeCrossed.rawValue, PlaceCrossing(question.app, question.crossing).json)
    }
}
