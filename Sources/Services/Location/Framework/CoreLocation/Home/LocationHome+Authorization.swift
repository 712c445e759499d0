internal import Dispatch
internal import LocationClient
internal import LocationWire

extension LocationHome {
    /// Asks the user. Managers hear of what has changed.
    func authorize(_ level: LocationAuthorize.Level, then: @escaping @Sendable () -> Void = {}) {
        client.authorize(level) { [self] _ in
            // Where there is no service the client's surroundings stay as they are, but they are known now.
            DispatchQueue.main.async { [self] in
                let standing = standing
                for manager in managers { manager.announce(standing) }
                then()
            }
        }
    }

    /// - Parameter completion: called on the main thread.
    func requestFullAccuracy(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
        authorize(.fullAccuracy) { [self] in
            let standing = standing
            guard !standing.allows || standing.accuracy == .reducedAccuracy else { return completion(nil) }
            completion(CLError(.promptDeclined, "the app may know the location only roughly, or not at all"))
        }
    }
}
