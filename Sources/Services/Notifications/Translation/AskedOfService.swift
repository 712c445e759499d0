package import NotificationsCore
package import NotificationsWire
package import Wire

/// What an app asks for, by its connection.
package struct AskedOfService {
    package let request: AppRequest
    /// It is answered with a part of a list: what comes behind this one.
    package let isPage: Bool
    package let after: String?

    package init(
        _ method: NotificationClientMethod, _ params: JSONValue, _ zones: ZoneFinder
    ) throws(RPCError) {
        switch method {
        case .pending, .delivered:
            isPage = true
            after = try NotificationPageParameters(json: params).after
        case .hello, .authorize, .settings, .add, .removePending, .removeDelivered, .setCategories, .categories,
            .setBadge, .register, .unregister, .opening:
            (isPage, after) = (false, nil)
        }
        request = try Self.request(method, params, zones)
    }

    private static func request(
        _ method: NotificationClientMethod, _ params: JSONValue, _ zones: ZoneFinder
    ) throws(RPCError) -> AppRequest {
        switch method {
        case .hello:
            guard case .client(let running) = try NotificationHello(json: params) else {
                throw .invalidParameter("role", "tools have a socket of their own")
            }
            return .hello(running: Set(running.map { UInt64(clamping: $0) }))
        case .authorize: return .authorize(AuthorizationOptions(words: try NotificationAuthorize(json: params).options))
        case .settings: return .settings
        case .add: return .add(try add(params, zones))
        case .pending: return .pending
        case .removePending: return .removePending(try NotificationRemoval(json: params).identifiers)
        case .delivered: return .delivered
        case .removeDelivered: return .removeDelivered(try NotificationRemoval(json: params).identifiers)
        case .setCategories:
            let categories = try NotificationCategories(json: params).categories
            return .setCategories(categories.map { NotificationCategory(wire: $0) })
        case .categories: return .categories
        case .setBadge:
            let count = try NotificationBadge(json: params).count
            guard (0...Int64(Int32.max)).contains(count) else {
                throw .notification(.badgeInputInvalid, "a badge is a number that is not negative")
            }
            return .setBadge(Int(count))
        case .register: return .register
        case .unregister: return .unregister
        case .opening: return .opening
        }
    }

    private static func add(_ params: JSONValue, _ zones: ZoneFinder) throws(RPCError) -> NotificationRequest {
        let request = try NotificationRequestParameters(json: params).request
        guard request.json.encoded.count <= NotificationLimits.request else {
            throw .invalidParameter(
                "request", "a request has \(NotificationLimits.request) bytes at most; put more into a file")
        }
        return try NotificationRequest(wire: request, zones)
    }
}
