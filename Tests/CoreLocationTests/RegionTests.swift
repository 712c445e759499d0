import CoreLocation
import LocationModel
import LocationWire
import Testing
import UserNotifications
import Wire

@Suite struct `Regions` {
    let app = AppLocation()

    private func circle(_ identifier: String, radius: Double = 100) -> CLCircularRegion {
        CLCircularRegion(
            center: CLLocationCoordinate2D(latitude: 50, longitude: 8), radius: radius, identifier: identifier)
    }

    @Test func `are monitored as the app says`() async throws {
        let (manager, recorder) = await app.heardManager()
        let region = circle("home")
        region.notifyOnExit = false
        manager.startMonitoring(for: region)
        #expect(manager.monitoredRegions == [circle("home", radius: 7)])
        await app.service.settle()
        #expect(recorder.news == ["monitors home"])
        let said = try Region(json: #require(app.service.params(.monitor).first))
        #expect(
            said == Region("home", center: Coordinate(50, 8), radius: 100, notifiesOnEntry: true, notifiesOnExit: false)
        )
        #expect(app.manager().monitoredRegions.map(\.identifier) == ["home"])
        manager.stopMonitoring(for: circle("home"))
        #expect(manager.monitoredRegions.isEmpty)
        await app.service.settle()
        #expect(manager.monitoredRegions.isEmpty)
        #expect(app.service.params(.unmonitor) == [["identifier": "home"]])
    }

    @Test func `of the last process are there`() {
        app.service.surround { $0.regions = [.home("a"), .home("b"), .home("greenroom.CLMonitor/gym/c")] }
        #expect(app.manager().monitoredRegions.map(\.identifier).sorted() == ["a", "b"])
    }

    @Test func `that the service does not know yet survive its word of others`() async {
        app.service.leaveUnanswered(.monitor)
        let (manager, _) = await app.heardManager()
        manager.startMonitoring(for: circle("new"))
        app.service.surround { $0.regions = [.home("old")] }
        #expect(manager.monitoredRegions.map(\.identifier).sorted() == ["new", "old"])
    }

    @Test func `that the service refuses fail`() async throws {
        app.service.refuse(.monitor, .regionMonitoringFailure, "20 are too many")
        let (manager, recorder) = await app.heardManager()
        manager.startMonitoring(for: circle("home"))
        let error = try #require(await recorder.errors.first(1).first as? CLError)
        #expect(error.code == .regionMonitoringFailure && error.localizedDescription == "20 are too many")
        #expect(manager.monitoredRegions.isEmpty)
        app.service.refuse(.monitor, .denied)
        manager.startMonitoring(for: circle("home"))
        #expect(try #require(await recorder.errors.first(2).last as? CLError).code == .regionMonitoringDenied)
    }

    @Test func `that cannot be are not asked for`() async {
        let (manager, recorder) = await app.heardManager()
        manager.startMonitoring(for: CLBeaconRegion(uuid: UUID(), identifier: "beacon"))
        manager.startMonitoring(for: circle("flat", radius: -1))
        manager.startMonitoring(for: circle("greenroom.CLMonitor/gym/c"))
        let nowhere = CLCircularRegion(center: kCLLocationCoordinate2DInvalid, radius: 9, identifier: "ok")
        manager.startMonitoring(for: nowhere)
        let south = CLLocationCoordinate2D(latitude: -91, longitude: 0)
        manager.startMonitoring(for: CLCircularRegion(center: south, radius: 9, identifier: "nowhere"))
        await app.service.settle()
        #expect(
            recorder.news == [
                "monitoring failed beacon 5", "monitoring failed flat 5",
                "monitoring failed greenroom.CLMonitor/gym/c 5", "monitoring failed ok 5",
                "monitoring failed nowhere 5",
            ])
        #expect(app.service.methods.isEmpty)
    }

    @Test func `are what a notification may wait for`() throws {
        let region = circle("shop")
        region.notifyOnExit = false
        let trigger = UNLocationNotificationTrigger(region: region, repeats: true)
        #expect(trigger.repeats)
        let same = try #require(trigger.region as? CLCircularRegion)
        #expect(same.identifier == "shop" && same.radius == 100 && same.center.latitude == 50)
        #expect(same.center.longitude == 8 && same.notifyOnEntry && !same.notifyOnExit)
        // As it was: what is changed later is of no account.
        region.notifyOnExit = true
        #expect(!trigger.region.notifyOnExit)
    }

    @Test(arguments: [(RegionState.unknown, 0), (.inside, 1), (.outside, 2)])
    func `have a state`(_ state: RegionState, _ number: Int) async {
        app.service.place(state, "home")
        let (manager, recorder) = await app.heardManager()
        manager.requestState(for: circle("home"))
        await app.service.settle()
        #expect(recorder.news == ["state home \(number)"])
    }

    @Test func `that are not monitored have none`() async {
        app.service.refuse(.state, .regionMonitoringFailure)
        let (manager, recorder) = await app.heardManager()
        manager.requestState(for: circle("home"))
        await app.service.settle()
        #expect(recorder.news == ["monitoring failed home 5"])
    }
}

@Suite struct `Registrations` {
    let app = AppLocation()

    @Test func `are the app's`() async {
        let (manager, recorder) = await app.heardManager()
        manager.startMonitoringSignificantLocationChanges()
        manager.startMonitoringVisits()
        manager.stopMonitoringSignificantLocationChanges()
        manager.stopMonitoringVisits()
        await app.service.settle()
        #expect(app.service.flags(.significant) == [true, false])
        #expect(app.service.flags(.visits) == [true, false])
        #expect(recorder.news.isEmpty)
    }

    @Test func `that are refused fail`() async {
        app.service.refuse(.significant, .denied)
        app.service.refuse(.visits, .denied)
        let (manager, recorder) = await app.heardManager()
        manager.startMonitoringSignificantLocationChanges()
        manager.startMonitoringVisits()
        await app.service.settle()
        #expect(recorder.news == ["failed 1", "failed 1"])
    }

    @Test func `of beacons do not exist`() async {
        let (manager, recorder) = await app.heardManager()
        manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: UUID()))
        await mainThreadIsDone()
        #expect(recorder.news == ["ranging failed 16"])
        #expect(manager.rangedBeaconConstraints.isEmpty)
    }

    @Test
    @available(*, deprecated, message: "it names what Apple has deprecated")
    func `have older names`() async {
        let (manager, recorder) = await app.heardManager()
        app.use {
            #expect(CLLocationManager.authorizationStatus() == .authorizedAlways)
            #expect(CLLocationManager.authorizationStatus() == .authorized)
            #expect(CLLocationManager.regionMonitoringAvailable())
            #expect(CLLocationManager.regionMonitoringEnabled())
        }
        manager.purpose = "to find you"
        #expect(manager.purpose == "to find you")
        let region = CLCircularRegion(center: CLLocationCoordinate2D(), radius: 10, identifier: "old")
        manager.startMonitoring(for: region, desiredAccuracy: kCLLocationAccuracyBest)
        await app.service.settle()
        manager.startRangingBeacons(in: CLBeaconRegion(uuid: UUID(), identifier: "beacon"))
        manager.stopRangingBeacons(in: CLBeaconRegion(proximityUUID: UUID(), identifier: "beacon"))
        await app.service.settle()
        #expect(recorder.news == ["monitors old", "ranging failed beacon 16"])
        #expect(manager.rangedRegions.isEmpty)
    }
}
