package import Model
package import NotificationsCore
package import Wire

extension PlaceWatch {
    package init(_ app: AppIdentifier, _ places: [WatchedPlace]) {
        self.init(app: app.rawValue, places: places.map { Place($0.region, named: $0.identifier) })
    }
}

extension WatchAnswer {
    package init(_ result: Result<JSONValue, RPCError>) {
        switch result {
        case .success: self = .watched
        case .failure(let error):
            switch error.code {
            case .unknown, .refused, .methodNotFound, .invalidParams: self = .refused(error.message)
            default: self = .failed
            }
        }
    }
}
