package import LocationModel
package import Wire

/// The methods of an app's connection to the location service (`docs/LOCATION.md`).
package enum LocationClientMethod: String, Sendable, CaseIterable {
    case hello, update, stopUpdates, once, significant, visits, heading, monitor, unmonitor, state, authorize
}

/// What the service sends to an app. The first ones are requests, numbered by `seq`, which is also the request's `id`,
/// and answered when the app has dealt with them; the others are notifications.
package enum LocationClientMessage: String, Sendable, CaseIterable {
    case significant, entered, exited, visit, paused, resumed
    case fixes, failed, heading, surroundings
}

/// The methods of the control connection that tools may use.
package enum LocationToolMethod: String, Sendable, CaseIterable {
    case hello, status, why, permit, fix, cell, route
}

/// The version of the location service's protocol.
package let locationProtocolVersion = 1

extension RPCError {
    /// `data.code` is the name of Apple's `CLError.Code`.
    package static func location(_ code: LocationFailure, _ message: String) -> RPCError {
        RPCError(.refused, message, data: ["code": .string(code.rawValue)])
    }

    package var locationCode: LocationFailure? { data["code"]?.string.flatMap(LocationFailure.init) }
}
