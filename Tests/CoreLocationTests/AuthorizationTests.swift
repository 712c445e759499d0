import CoreLocation
import LocationModel
import LocationWire
import Testing
import Wire

@Suite struct `What an app may know` {
    let app = AppLocation()

    @Test func `is told once, soon after a manager has its delegate`() async {
        let (manager, recorder) = await app.heardManager()
        #expect(recorder.words.all == ["authorization 3 0", "status 3"])
        manager.delegate = recorder
        await app.service.settle()
        #expect(recorder.words.all.count == 2)
    }

    @Test func `is told to a delegate that comes after it was known, too`() async {
        let first = await app.heardManager()
        let second = await app.heardManager()
        #expect(second.1.words.all == ["authorization 3 0", "status 3"])
        withExtendedLifetime((first, second)) {}
    }

    @Test(arguments: [
        (LocationAuthorization.notDetermined, CLAuthorizationStatus.notDetermined), (.denied, .denied),
        (.whenInUse, .authorizedWhenInUse), (.always, .authorizedAlways),
    ])
    func `is what the service says`(_ word: LocationAuthorization, _ status: CLAuthorizationStatus) {
        app.service.surround {
            $0.authorization = word
            $0.isReduced = true
        }
        #expect(app.manager().authorizationStatus == status)
        #expect(app.manager().accuracyAuthorization == .reducedAccuracy)
    }

    @Test func `is told again when the user has answered, once, to all managers`() async {
        app.service.surround { $0.authorization = .notDetermined }
        let (manager, recorder) = await app.heardManager()
        let (other, otherRecorder) = await app.heardManager()
        app.service.grant(.whenInUse)
        manager.requestWhenInUseAuthorization()
        #expect(await recorder.authorizations.first(2) == [.notDetermined, .authorizedWhenInUse])
        #expect(await otherRecorder.authorizations.first(2).last == .authorizedWhenInUse)
        app.service.grant(.always, isReduced: true)
        manager.requestAlwaysAuthorization()
        _ = await recorder.authorizations.first(3)
        await app.service.settle()
        #expect(
            recorder.words.all == [
                "authorization 0 0", "status 0", "authorization 4 0", "status 4", "authorization 3 1", "status 3",
            ])
        #expect(app.service.params(.authorize).map { $0["level"] } == ["whenInUse", "always"])
        withExtendedLifetime(other) {}
    }

    @Test func `is not told again when the answer changes nothing`() async {
        let (manager, recorder) = await app.heardManager()
        manager.requestAlwaysAuthorization()
        await app.service.settle()
        #expect(recorder.authorizations.all == [.authorizedAlways])
    }

    @Test func `is told when the user changes it`() async {
        let (manager, recorder) = await app.heardManager()
        app.service.surround { $0.authorization = .denied }
        #expect(await recorder.authorizations.first(2).last == .denied)
        withExtendedLifetime(manager) {}
    }

    @Test func `is the exact location, if the user says so`() async throws {
        app.service.surround { $0.isReduced = true }
        let (manager, recorder) = await app.heardManager()
        await #expect(throws: CLError(.promptDeclined, userInfo: declined)) {
            try await manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "navigation")
        }
        app.service.grant(.always, isReduced: false)
        let answers = Bell<Bool>()
        manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "navigation") { answers.ring($0 == nil) }
        #expect(await answers.first(1) == [true])
        #expect(manager.accuracyAuthorization == .fullAccuracy)
        #expect(recorder.words.all.contains("authorization 3 0"))
    }

    private var declined: [String: Any] {
        [NSLocalizedDescriptionKey: "the app may know the location only roughly, or not at all"]
    }
}

@Suite struct `Without a system` {
    let app = AppLocation()

    @Test func `location services are off`() async {
        app.service.leave()
        app.use {
            #expect(!CLLocationManager.locationServicesEnabled())
            #expect(!CLLocationManager.significantLocationChangeMonitoringAvailable())
            #expect(!CLLocationManager.headingAvailable())
            #expect(!CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self))
        }
        #expect(app.manager().location == nil)
        #expect(app.manager().monitoredRegions.isEmpty)
        #expect(app.manager().maximumRegionMonitoringDistance < 0)
    }

    @Test func `a delegate hears that everything is denied`() async {
        app.service.leave()
        let (manager, recorder) = await app.heardManager()
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
        manager.requestLocation()
        manager.startUpdatingHeading()
        manager.startMonitoringSignificantLocationChanges()
        manager.startMonitoring(for: CLCircularRegion(center: CLLocationCoordinate2D(), radius: 9, identifier: "a"))
        await app.service.settle()
        #expect(
            recorder.words.all == [
                "authorization 2 0", "status 2", "failed 1", "failed 1", "failed 3", "failed 1",
                "monitoring failed a 4",
            ])
    }
}

@Suite struct `What the device can` {
    let app = AppLocation()

    @Test func `is what the service says in its greeting`() {
        app.use {
            #expect(CLLocationManager.locationServicesEnabled())
            #expect(CLLocationManager.significantLocationChangeMonitoringAvailable())
            #expect(CLLocationManager.headingAvailable())
            #expect(CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self))
            #expect(!CLLocationManager.isMonitoringAvailable(for: CLBeaconRegion.self))
            #expect(!CLLocationManager.isRangingAvailable())
            #expect(!CLLocationManager.deferredLocationUpdatesAvailable())
        }
        #expect(app.manager().maximumRegionMonitoringDistance == 1_000_000)
    }

    @Test func `changes with the service's word`() {
        app.use {
            #expect(CLLocationManager.headingAvailable())
            app.service.surround { $0.hasHeading = false }
            #expect(!CLLocationManager.headingAvailable())
        }
    }
}
