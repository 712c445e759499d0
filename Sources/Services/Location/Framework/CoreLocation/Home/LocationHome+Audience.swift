internal import LocationClient
package import LocationModel
internal import LocationWire
internal import Synchronization
internal import Wire

// What the service tells the app, and who hears it. All of it is on the main thread.
extension LocationHome {
    @MainActor package func isReady(for news: LocationNews) -> Bool {
        switch news {
        case .significantChange, .visit: hasDelegate
        case .entered(let region, _), .exited(let region, _):
            if let name = MonitorRegion(region.identifier) { isMonitored(name.monitor) } else { hasDelegate }
        case .paused, .resumed: true
        }
    }

    private var hasDelegate: Bool { managers.contains { $0.delegate != nil } }

    private func isMonitored(_ name: String) -> Bool { listeners.withLock { $0.monitors[name]?.value != nil } }

    @MainActor package func heard(_ news: LocationNews) {
        switch news {
        case .significantChange(let fix):
            let location = CLLocation(fix)
            for manager in managers { manager.delegate?.locationManager(manager, didUpdateLocations: [location]) }
        case .entered(let region, let fix): crossed(region, fix, isInside: true)
        case .exited(let region, let fix): crossed(region, fix, isInside: false)
        case .visit(let visit):
            let visit = CLVisit(visit)
            for manager in managers { manager.delegate?.locationManager(manager, didVisit: visit) }
        case .paused:
            for manager in managers where manager.isUpdating {
                manager.delegate?.locationManagerDidPauseLocationUpdates(manager)
            }
            tellLive { $0.stand(true) }
        case .resumed:
            for manager in managers where manager.isUpdating {
                manager.delegate?.locationManagerDidResumeLocationUpdates(manager)
            }
            tellLive { $0.stand(false) }
        }
    }

    @MainActor private func crossed(_ region: Region, _ fix: Fix, isInside: Bool) {
        if let name = MonitorRegion(region.identifier) {
            let core = listeners.withLock { $0.monitors[name.monitor]?.value }
            core?.heard(name.identifier, isInside ? .satisfied : .unsatisfied, Date(timeIntervalSince1970: fix.time))
            return
        }
        let circle = CLCircularRegion(region)
        for manager in managers {
            guard let delegate = manager.delegate else { continue }
            if isInside {
                delegate.locationManager(manager, didEnterRegion: circle)
            } else {
                delegate.locationManager(manager, didExitRegion: circle)
            }
            // Apple's documentation: in addition to the other one.
            delegate.locationManager(manager, didDetermineState: isInside ? .inside : .outside, for: circle)
        }
    }

    @MainActor package func heard(_ fixes: [Fix]) {
        let locations = fixes.map(CLLocation.init)
        for manager in managers { manager.take(locations) }
        tellLive { live in
            for location in locations { live.take(location) }
        }
    }

    @MainActor package func failed(_ error: LocationFailure, _ sentence: String) {
        let problem = CLError(failure: error, sentence)
        for manager in managers where manager.isUpdating {
            manager.delegate?.locationManager(manager, didFailWithError: problem)
        }
        tellLive { $0.fail(error) }
    }

    @MainActor package func heard(_ heading: Heading) {
        for manager in managers { manager.take(heading) }
    }

    @MainActor package func surroundingsChanged() {
        let standing = standing
        for manager in managers { manager.announce(standing) }
        tellLive { $0.stand(standing) }
        for diagnosis in listeners.withLock({ $0.diagnoses }).values { diagnosis.tell(standing) }
    }

    @MainActor private func tellLive(_ body: (LiveUpdates) -> Void) {
        for live in listeners.withLock({ $0.live }).sorted(by: { $0.key < $1.key }).map(\.value) { body(live) }
    }
}

extension CLError {
    /// What an app gets of an error of the service: Apple's where there is one.
    ///
    /// - Parameter missing: what it gets where there is no service for it.
    init(_ error: RPCError, missing: Code = .denied) {
        if let failure = error.locationCode {
            self.init(failure: failure, error.message)
        } else if error.code == .unknown || error.code == .methodNotFound || error.code == .refused {
            self.init(missing, error.message)
        } else {
            self.init(missing == .denied ? .locationUnknown : missing, error.message)
        }
    }
}
