internal import Dispatch
internal import LocationClient
internal import LocationModel
internal import LocationWire
internal import Synchronization

/// One iteration over live updates.
final class LiveUpdates: Sendable {
    private struct State: Sendable {
        var flags = CLLocationUpdate.Flags()
        var isStationary = false
        var last: CLLocation?
    }

    /// What a reader may be behind.
    private static let kept = 64

    let number: Int64
    private let configuration: CLLocationUpdate.LiveConfiguration
    private let continuation: AsyncStream<CLLocationUpdate>.Continuation
    private let state = Mutex(State())

    private init(
        _ number: Int64, _ configuration: CLLocationUpdate.LiveConfiguration,
        _ continuation: AsyncStream<CLLocationUpdate>.Continuation
    ) {
        (self.number, self.configuration, self.continuation) = (number, configuration, continuation)
    }

    static func begin(
        _ home: LocationHome, _ configuration: CLLocationUpdate.LiveConfiguration
    ) -> AsyncStream<CLLocationUpdate> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CLLocationUpdate.self, bufferingPolicy: .bufferingNewest(kept))
        let live = LiveUpdates(home.client.makeNumber(), configuration, continuation)
        let number = live.number
        continuation.onTermination = { [weak home] _ in home?.removeLive(number) }
        home.add(live)
        home.client.whenKnown { DispatchQueue.main.async { live.begin(home) } }
        return stream
    }

    /// On the main thread.
    private func begin(_ home: LocationHome) {
        // The iteration may be over already.
        guard home.listeners.withLock({ $0.live[number] != nil }) else { return }
        let (standing, others) = (home.standing, home.client.hasWishes)
        if standing.status == .notDetermined {
            show { $0.isAsking = true }
            home.authorize(.whenInUse) { self.stand(home.standing) }
        } else {
            stand(standing)
        }
        home.client.begin(settings(home), for: number) { [weak home] result in
            guard case .failure(let error) = result else { return }
            DispatchQueue.main.async {
                guard let home else { return }
                // Before the user was asked nothing has failed.
                if standing.status == .notDetermined, error.locationCode == .denied { return }
                if home.client.absence != nil { return self.show { $0.isDeniedGlobally = true } }
                self.fail(error.locationCode ?? .locationUnknown)
            }
        }
        // The service has said it to the others, and says it again only when that has changed.
        if others, standing.allows, let fix = home.client.known?.lastFix { take(CLLocation(fix)) }
    }

    func settings(_ home: LocationHome) -> UpdateSettings {
        let activity: LocationActivity =
            switch configuration {
            case .default: .other
            case .automotiveNavigation: .automotiveNavigation
            case .otherNavigation: .otherNavigation
            case .fitness: .fitness
            case .airborne: .airborne
            }
        let mayGoOn = home.hasSession || home.standing.status == .authorizedAlways
        // A session shows that the app goes on, whatever else it may.
        return UpdateSettings(
            activity: activity, allowsBackground: home.hasBackgroundMode && mayGoOn, showsIndicator: home.hasSession)
    }

    func finish() { continuation.finish() }

    // MARK: On the main thread

    func take(_ location: CLLocation) {
        let flags = state.withLock { state in
            (state.isStationary, state.last) = (false, location)
            (state.flags.isUnavailable, state.flags.isDenied, state.flags.isAsking) = (false, false, false)
            return state.flags
        }
        continuation.yield(CLLocationUpdate(location, flags))
    }

    /// Nothing moves, or something does again.
    func stand(_ isStationary: Bool) {
        let (location, flags) = state.withLock { state in
            state.isStationary = isStationary
            return (state.last, state.flags)
        }
        continuation.yield(CLLocationUpdate(location, isStationary: isStationary, flags))
    }

    func stand(_ standing: Standing) {
        show { flags in
            flags.isDenied = standing.status == .denied
            flags.isLimited = standing.accuracy == .reducedAccuracy
            if standing.status != .notDetermined { flags.isAsking = false }
        }
    }

    func fail(_ failure: LocationFailure) {
        show { flags in
            if failure == .denied { flags.isDenied = true } else { flags.isUnavailable = true }
        }
    }

    /// Says it, unless it was said.
    private func show(_ change: (inout CLLocationUpdate.Flags) -> Void) {
        let flags = state.withLock { state -> CLLocationUpdate.Flags? in
            let before = state.flags
            change(&state.flags)
            return state.flags == before ? nil : state.flags
        }
        if let flags { continuation.yield(CLLocationUpdate(nil, flags)) }
    }
}
