/// What one service asks another for, by way of the daemon: `ask` in sections 3 and 4 of docs/SERVICES.md.
package struct ServiceAsk: WireRecord {
    /// Whom, on the way to the daemon; who asks, on the way from it.
    package var service: String
    package var method: String
    package var params: JSONValue

    package init(service: String, method: String, params: JSONValue) {
        self.service = service
        self.method = method
        self.params = params
    }

    package init(json: JSONValue) throws(RPCError) {
        service = try json.string("service")
        method = try json.string("method")
        params = json["params"] ?? [:]
    }

    package var json: JSONValue { ["service": .string(service), "method": .string(method), "params": params] }
}

/// What the service that knows where the device is and others, which act on that for an app, ask each other.
package enum PlaceMethod: String, Sendable, CaseIterable {
    /// Of the one that knows: these places, in place of the app's earlier ones (`PlaceWatch`).
    case watchPlaces
    /// Of the one that asked for that (`PlaceCrossing`). Repeated until it is answered.
    case placeCrossed
}

package struct PlaceWatch: WireRecord {
    /// A circle on the map.
    package struct Place: WireRecord {
        /// Unique among those of the app.
        package var identifier: String
        /// Degrees.
        package var latitude: Double
        package var longitude: Double
        /// Metres.
        package var radius: Double
        package var onEntry: Bool
        package var onExit: Bool

        package init(
            identifier: String, latitude: Double, longitude: Double, radius: Double, onEntry: Bool = true,
            onExit: Bool = true
        ) {
            self.identifier = identifier
            self.latitude = latitude
            self.longitude = longitude
            self.radius = radius
            self.onEntry = onEntry
            self.onExit = onExit
        }

        package init(json: JSONValue) throws(RPCError) {
            identifier = try json.string("identifier")
            latitude = try json.number("latitude")
            longitude = try json.number("longitude")
            radius = try json.number("radius")
            onEntry = try json.bool("onEntry", default: true)
            onExit = try json.bool("onExit", default: true)
        }

        package var json: JSONValue {
            [
                "identifier": .string(identifier), "latitude": .double(latitude), "longitude": .double(longitude),
                "radius": .double(radius), "onEntry": .bool(onEntry), "onExit": .bool(onExit),
            ]
        }
    }

    package var app: String
    /// Empty: none any more.
    package var places: [Place]

    package init(app: String, places: [Place]) {
        self.app = app
        self.places = places
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        places = try json.records("places")
    }

    package var json: JSONValue { ["app": .string(app), "places": .array(places.map(\.json))] }
}

package struct PlaceCrossing: WireRecord {
    package var app: String
    package var place: String
    /// Into it; or out of it.
    package var entered: Bool
    /// Grows with each crossing of an app's places: one that comes again has the number that it had.
    package var number: Int64

    package init(app: String, place: String, entered: Bool, number: Int64) {
        self.app = app
        self.place = place
        self.entered = entered
        self.number = number
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        place = try json.string("place")
        entered = try json.bool("entered")
        number = Int64(try json.int("number"))
    }

    package var json: JSONValue {
        ["app": .string(app), "place": .string(place), "entered": .bool(entered), "number": .int(number)]
    }
}
