import CoreLocation
import LocationModel
import LocationWire
import Testing
import Wire

@Suite struct `Standard updates` {
    let app = AppLocation()

    @Test func `bring locations to managers that update`() async throws {
        let (manager, recorder) = await app.heardManager()
        let (idle, idleRecorder) = await app.heardManager()
        manager.desiredAccuracy = kCLLocationAccuracyHundredMeters
        manager.activityType = .fitness
        manager.startUpdatingLocation()
        app.service.tell(fix(1), fix(2))
        #expect(await recorder.locations.first(1).first?.count == 2)
        #expect(recorder.news == ["locations 1.000 2.000"])
        #expect(idleRecorder.news.isEmpty)
        #expect(
            try app.service.updates() == [
                UpdateSettings(accuracy: 100, distanceFilter: -1, activity: .fitness, pausesAutomatically: true)
            ])
        manager.stopUpdatingLocation()
        app.service.tell(fix(3))
        await app.service.settle()
        #expect(recorder.news.count == 1)
        #expect(app.service.methods == [.update, .stopUpdates])
        withExtendedLifetime(idle) {}
    }

    @Test func `are asked for so that they serve all managers`() async throws {
        let (first, second) = (app.manager(), app.manager())
        first.desiredAccuracy = kCLLocationAccuracyKilometer
        first.distanceFilter = 500
        first.activityType = .fitness
        first.startUpdatingLocation()
        second.desiredAccuracy = kCLLocationAccuracyBest
        second.distanceFilter = 50
        second.activityType = .airborne
        second.pausesLocationUpdatesAutomatically = false
        second.allowsBackgroundLocationUpdates = true
        second.startUpdatingLocation()
        #expect(
            try app.service.updates() == [
                UpdateSettings(accuracy: 1000, distanceFilter: 500, activity: .fitness),
                UpdateSettings(
                    accuracy: -1, distanceFilter: 50, activity: .other, pausesAutomatically: false,
                    allowsBackground: true),
            ])
        #expect(try app.service.hello().updates == app.service.updates().last)
        second.stopUpdatingLocation()
        #expect(
            try app.service.updates().last == UpdateSettings(accuracy: 1000, distanceFilter: 500, activity: .fitness))
        #expect(!app.service.methods.contains(.stopUpdates))
        first.stopUpdatingLocation()
        #expect(app.service.methods.last == .stopUpdates)
        #expect(try app.service.hello().updates == nil)
    }

    @Test func `are asked for again when what a manager wants changes what all want`() throws {
        let (first, second) = (app.manager(), app.manager())
        first.desiredAccuracy = 10
        first.startUpdatingLocation()
        second.desiredAccuracy = 100
        second.startUpdatingLocation()
        second.desiredAccuracy = 1000
        #expect(try app.service.updates().map(\.accuracy) == [10, 10])
        first.desiredAccuracy = 3000
        #expect(try app.service.updates().map(\.accuracy) == [10, 10, 1000])
    }

    @Test func `carry whether the user is to see that they go on`() throws {
        let (first, second) = (app.manager(), app.manager())
        first.allowsBackgroundLocationUpdates = true
        first.startUpdatingLocation()
        first.showsBackgroundLocationIndicator = true
        #expect(first.showsBackgroundLocationIndicator)
        #expect(try app.service.updates().map(\.showsIndicator) == [false, true])
        first.showsBackgroundLocationIndicator = false
        // What ends where the screen does has nothing to show.
        second.showsBackgroundLocationIndicator = true
        second.startUpdatingLocation()
        #expect(try app.service.updates().map(\.showsIndicator) == [false, true, false, false])
        second.allowsBackgroundLocationUpdates = true
        #expect(try app.service.updates().last?.showsIndicator == true)
    }

    @Test func `end with the last manager`() async {
        do {
            let manager = app.manager()
            manager.startUpdatingLocation()
        }
        #expect(app.service.methods == [.update, .stopUpdates])
    }

    @Test func `come to each manager by its own filter`() async {
        let near = app.manager()
        let (far, farRecorder) = await app.heardManager()
        far.distanceFilter = 150
        near.startUpdatingLocation()
        far.startUpdatingLocation()
        for step in 0..<5 { app.service.tell(fix(Double(step) / 1000, at: 1000 + Double(step))) }
        _ = await farRecorder.locations.first(3)
        // 0 m, 222 m and 444 m.
        #expect(farRecorder.news == ["locations 0.000", "locations 0.002", "locations 0.004"])
    }

    @Test func `begin with what others know already`() async {
        let (first, recorder) = await app.heardManager()
        first.startUpdatingLocation()
        app.service.tell(fix(1))
        _ = await recorder.locations.first(1)
        let (second, secondRecorder) = await app.heardManager()
        second.startUpdatingLocation()
        #expect(await secondRecorder.locations.first(1).first?.first?.coordinate.latitude == 1)
        #expect(recorder.news.count == 1)
    }

    @Test func `fail by Apple's errors`() async throws {
        let (manager, recorder) = await app.heardManager()
        manager.startUpdatingLocation()
        app.service.tell(.locationUnknown)
        #expect(try #require(await recorder.errors.first(1).first as? CLError).code == .locationUnknown)
        app.service.refuse(.update, .denied, "the user says no")
        manager.startUpdatingLocation()
        let denied = try #require(await recorder.errors.first(2).last as? CLError)
        #expect(denied.code == .denied && denied.localizedDescription == "the user says no")
    }

    @Test func `wait for the user where the app was not authorized yet`() async throws {
        app.service.surround { $0.authorization = .notDetermined }
        app.service.refuse(.update, .denied)
        let (manager, recorder) = await app.heardManager()
        manager.startUpdatingLocation()
        manager.startUpdatingHeading()
        await app.service.settle()
        #expect(recorder.news.isEmpty)
        app.service.allow(.update)
        app.service.grant(.whenInUse)
        manager.requestWhenInUseAuthorization()
        _ = await recorder.authorizations.first(2)
        #expect(try app.service.updates().count == 2)
        #expect(app.service.flags(.heading) == [true, true])
    }

    @Test func `pause and resume`() async {
        let (manager, recorder) = await app.heardManager()
        let (idle, idleRecorder) = await app.heardManager()
        manager.startUpdatingLocation()
        app.service.tell(.paused)
        app.service.tell(.resumed)
        #expect(await app.service.answers.first(2) == [1, 2])
        #expect(recorder.news == ["paused", "resumed"])
        #expect(idleRecorder.news.isEmpty)
        withExtendedLifetime(idle) {}
    }

    @Test func `go on in the background only where the property list says so`() {
        let plain = AppLocation(modes: ["audio"])
        let manager = plain.manager()
        manager.allowsBackgroundLocationUpdates = true
        #expect(!manager.allowsBackgroundLocationUpdates)
        #expect(plain.complaints.all.count == 1)
        #expect(plain.complaints.all.first?.contains("UIBackgroundModes") == true)
        let other = app.manager()
        other.allowsBackgroundLocationUpdates = true
        #expect(other.allowsBackgroundLocationUpdates)
        #expect(app.complaints.all.isEmpty)
    }

    @Test func `take any number that an app sets`() throws {
        let manager = app.manager()
        manager.desiredAccuracy = .nan
        manager.distanceFilter = .infinity
        manager.startUpdatingLocation()
        manager.desiredAccuracy = kCLLocationAccuracyReduced
        #expect(try app.service.updates().map(\.accuracy) == [0, 10_000_000])
        #expect(try app.service.updates().allSatisfy { $0.distanceFilter == 10_000_000 })
    }

    @Test func `reach an older delegate by its older method`() async {
        final class Older: CLLocationManagerDelegate, Sendable {
            let heard = Bell<[Double]>()
            func locationManager(
                _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation
            ) { heard.ring([oldLocation.coordinate.latitude, newLocation.coordinate.latitude]) }
        }
        let (manager, older) = (app.manager(), Older())
        manager.delegate = older
        manager.startUpdatingLocation()
        await app.service.settle()
        app.service.tell(fix(1), fix(2))
        #expect(await older.heard.first(2) == [[1, 1], [1, 2]])
    }

    @Test func `are deferred nowhere`() async {
        let (manager, recorder) = await app.heardManager()
        manager.allowDeferredLocationUpdates(untilTraveled: 100, timeout: 60)
        await mainThreadIsDone()
        #expect(recorder.news == ["deferred 11"])
    }
}

@Suite struct `A request for one location` {
    let app = AppLocation()

    @Test func `is answered once`() async {
        app.service.setFix(fix(7, at: 2000))
        let (manager, recorder) = await app.heardManager()
        manager.requestLocation()
        _ = await recorder.locations.first(1)
        app.service.tell(fix(8))
        await app.service.settle()
        #expect(recorder.news == ["locations 7.000"])
        #expect(app.service.methods == [.once])
        #expect(manager.location?.coordinate.latitude == 8 || manager.location?.coordinate.latitude == 7)
    }

    @Test(arguments: [LocationFailure.locationUnknown, .denied])
    func `fails by Apple's error`(_ failure: LocationFailure) async throws {
        app.service.refuse(.once, failure)
        let (manager, recorder) = await app.heardManager()
        manager.requestLocation()
        let error = try #require(await recorder.errors.first(1).first as? CLError)
        #expect(error.code == (failure == .denied ? .denied : .locationUnknown))
    }

    @Test func `is asked once while it is under way, and can be asked again after that`() async {
        app.service.setFix(nil)
        let (manager, recorder) = await app.heardManager()
        manager.requestLocation()
        manager.requestLocation()
        #expect(app.service.methods == [.once])
        app.service.find(fix(7))
        _ = await recorder.locations.first(1)
        manager.requestLocation()
        app.service.find(fix(8))
        #expect(await recorder.locations.first(2).count == 2)
    }

    @Test func `is ended by stopUpdatingLocation`() async {
        app.service.setFix(nil)
        let (manager, recorder) = await app.heardManager()
        manager.requestLocation()
        manager.stopUpdatingLocation()
        app.service.find(fix(7))
        await app.service.settle()
        #expect(recorder.news.isEmpty)
    }
}

@Suite struct `The last location` {
    let app = AppLocation()

    @Test func `is the newest that the service has said`() async {
        app.service.surround { $0.lastFix = fix(1, at: 10) }
        let (manager, recorder) = await app.heardManager()
        #expect(manager.location?.coordinate.latitude == 1)
        manager.startUpdatingLocation()
        app.service.tell(fix(2, at: 20))
        _ = await recorder.locations.first(1)
        #expect(manager.location?.coordinate.latitude == 2)
        // What surrounds the app carries the fix of before.
        app.service.surround { $0.hasHeading = false }
        #expect(manager.location?.coordinate.latitude == 2)
        app.service.surround { $0.authorization = .denied }
        #expect(manager.location == nil)
    }
}

@Suite struct `Headings` {
    let app = AppLocation()

    @Test func `come to managers that want them, by their filter`() async {
        let (manager, recorder) = await app.heardManager()
        let (idle, idleRecorder) = await app.heardManager()
        manager.headingFilter = 10
        manager.startUpdatingHeading()
        for angle in [355, 2, 4, 6, 350] as [Double] {
            app.service.tell(Heading(magnetic: angle, geographic: angle + 1, accuracy: 5, time: 9))
        }
        _ = await recorder.headings.first(3)
        #expect(recorder.news == ["heading 355", "heading 6", "heading 350"])
        #expect(idleRecorder.news.isEmpty)
        #expect(manager.heading?.trueHeading == 351)
        #expect(manager.heading?.headingAccuracy == 5)
        manager.stopUpdatingHeading()
        app.service.tell(Heading(magnetic: 90, time: 9))
        await app.service.settle()
        #expect(recorder.headings.all.count == 3)
        #expect(app.service.flags(.heading) == [true, false])
        withExtendedLifetime(idle) {}
    }

    @Test func `are asked for once for all managers, and ended with the last`() {
        let (first, second) = (app.manager(), app.manager())
        first.startUpdatingHeading()
        second.startUpdatingHeading()
        first.stopUpdatingHeading()
        #expect(!app.service.flags(.heading).contains(false))
        second.stopUpdatingHeading()
        #expect(app.service.flags(.heading).last == false)
    }

    @Test func `are of the edge that is the top`() async {
        let (manager, recorder) = await app.heardManager()
        manager.headingOrientation = .landscapeLeft
        manager.startUpdatingHeading()
        app.service.tell(Heading(magnetic: 300, time: 9))
        #expect(await recorder.headings.first(1).first?.magneticHeading == 30)
        #expect(recorder.headings.all.first?.trueHeading == -1)
    }

    @Test func `fail where there is no compass`() async throws {
        app.service.refuse(.heading, .headingFailure, "this device has no compass")
        let (manager, recorder) = await app.heardManager()
        manager.startUpdatingHeading()
        #expect(try #require(await recorder.errors.first(1).first as? CLError).code == .headingFailure)
    }
}
