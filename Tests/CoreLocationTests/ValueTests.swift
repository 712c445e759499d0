import CoreLocation
import Foundation
import LocationModel
import Testing

private func coded<Value: NSObject & NSCoding>(_ value: Value, as type: Value.Type = Value.self) throws -> Value {
    let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: type, from: data))
}

@Suite struct `A location` {
    private let full = CLLocation(
        coordinate: CLLocationCoordinate2D(latitude: 37.5, longitude: -122.25), altitude: 12, horizontalAccuracy: 5,
        verticalAccuracy: 3, course: 90, courseAccuracy: 2, speed: 4, speedAccuracy: 1,
        timestamp: Date(timeIntervalSince1970: 1_000),
        sourceInfo: CLLocationSourceInformation(softwareSimulationState: true, andExternalAccessoryState: false))

    @Test func `has what it was made of`() {
        let plain = CLLocation(latitude: 1, longitude: 2)
        #expect(plain.coordinate.latitude == 1 && plain.coordinate.longitude == 2)
        #expect(plain.verticalAccuracy == -1 && plain.speed == -1 && plain.course == -1)
        #expect(plain.sourceInformation == nil && plain.floor == nil)
        #expect(full.speedAccuracy == 1 && full.courseAccuracy == 2 && full.ellipsoidalAltitude == 12)
        #expect(full.sourceInformation?.isSimulatedBySoftware == true)
        let moving = CLLocation(
            coordinate: plain.coordinate, altitude: 1, horizontalAccuracy: 2, verticalAccuracy: 3, course: 4, speed: 5,
            timestamp: full.timestamp)
        #expect(moving.course == 4 && moving.speed == 5 && moving.speedAccuracy == -1)
        #expect(moving.timestamp == full.timestamp)
    }

    @Test func `is as far from another one as it is on the ellipsoid`() {
        // Flinders Peak and Buninyong, of which Vincenty has 54 972.271 m.
        let one = CLLocation(latitude: -37.951_033_41, longitude: 144.424_867_89)
        let other = CLLocation(latitude: -37.652_821_14, longitude: 143.926_495_52)
        #expect(abs(one.distance(from: other) - 54_972.271) < 0.05)
        #expect(one.distance(from: one) == 0)
    }

    @Test func `is described as Apple does it`() {
        #expect(full.description.hasPrefix("<+37.50000000,-122.25000000> +/- 5.00m (speed 4.00 mps / course 90.00) @ "))
    }

    @Test func `survives an archive`() throws {
        let copy = try coded(full)
        #expect(copy.coordinate.latitude == 37.5 && copy.coordinate.longitude == -122.25)
        #expect(copy.altitude == 12 && copy.horizontalAccuracy == 5 && copy.verticalAccuracy == 3)
        #expect(copy.course == 90 && copy.courseAccuracy == 2 && copy.speed == 4 && copy.speedAccuracy == 1)
        #expect(copy.timestamp == full.timestamp)
        #expect(copy.sourceInformation?.isSimulatedBySoftware == true)
        #expect(copy.sourceInformation?.isProducedByAccessory == false)
        #expect(full.copy() as? CLLocation === full)
    }

    @Test func `may be at a place that is none`() {
        #expect(CLLocationCoordinate2DIsValid(CLLocationCoordinate2DMake(90, -180)))
        #expect(!CLLocationCoordinate2DIsValid(CLLocationCoordinate2DMake(90.1, 0)))
        #expect(!CLLocationCoordinate2DIsValid(CLLocationCoordinate2DMake(.nan, 0)))
        #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
    }
}

@Suite struct `A region` {
    private let circle = CLCircularRegion(
        center: CLLocationCoordinate2D(latitude: 0, longitude: 0), radius: 1000, identifier: "null")

    @Test func `contains what is within its radius`() {
        #expect(circle.contains(CLLocationCoordinate2D(latitude: 0.009, longitude: 0)))
        #expect(!circle.contains(CLLocationCoordinate2D(latitude: 0.0091, longitude: 0)))
    }

    @Test func `equals those of its identifier`() {
        let other = CLCircularRegion(center: kCLLocationCoordinate2DInvalid, radius: 1, identifier: "null")
        #expect(circle == other && circle.hash == other.hash)
        #expect(circle != CLCircularRegion(center: circle.center, radius: 1000, identifier: "other"))
        #expect(Set<CLRegion>([circle, other]).count == 1)
    }

    @Test func `survives a copy and an archive`() throws {
        circle.notifyOnEntry = false
        for copy in [try #require(circle.copy() as? CLCircularRegion), try coded(circle)] {
            #expect(copy == circle && copy !== circle)
            #expect(copy.radius == 1000 && copy.center.latitude == 0)
            #expect(!copy.notifyOnEntry && copy.notifyOnExit)
        }
        let beacon = CLBeaconRegion(uuid: UUID(), major: 1, minor: 2, identifier: "beacon")
        let copy = try coded(beacon)
        #expect(copy.uuid == beacon.uuid && copy.major == 1 && copy.minor == 2)
        #expect(copy.beaconIdentityConstraint == beacon.beaconIdentityConstraint)
        #expect(circle.description.contains("null"))
    }
}

@Suite struct `An error of locations` {
    @Test func `is found by its code`() {
        let error: any Error = CLError(.denied)
        #expect(CLError.denied ~= error)
        #expect(!(CLError.network ~= error))
        #expect((error as? CLError)?.code == .denied)
        do {
            throw error
        } catch CLError.denied {
            #expect(Bool(true))
        } catch {
            Issue.record("\(error)")
        }
        switch (error as? CLError)?.code {
        case .denied: break
        default: Issue.record("\(error)")
        }
    }

    @Test func `is an NSError of Apple's domain`() {
        let region = CLCircularRegion(center: CLLocationCoordinate2D(), radius: 1, identifier: "a")
        let error = CLError(
            .regionMonitoringSetupDelayed,
            userInfo: [NSLocalizedDescriptionKey: "wait", kCLErrorUserInfoAlternateRegionKey: region])
        let bridged = error as NSError
        #expect(bridged.domain == "kCLErrorDomain" && bridged.code == 6)
        #expect(bridged.localizedDescription == "wait" && error.localizedDescription == "wait")
        #expect(error.errorCode == 6 && CLError.errorDomain == kCLErrorDomain)
        #expect(error.alternateRegion === region)
        let native = NSError(domain: kCLErrorDomain, code: 2)
        #expect(CLError.network ~= native)
        #expect(CLError(_nsError: native)?.code == .network)
        #expect(CLError(_nsError: NSError(domain: "other", code: 2)) == nil)
        #expect(!CLError(.geocodeFoundNoResult).localizedDescription.isEmpty)
    }

    @Test(arguments: [
        (CLError.Code.locationUnknown, 0), (.denied, 1), (.network, 2), (.headingFailure, 3),
        (.regionMonitoringDenied, 4), (.regionMonitoringFailure, 5), (.regionMonitoringSetupDelayed, 6),
        (.regionMonitoringResponseDelayed, 7), (.geocodeFoundNoResult, 8), (.geocodeFoundPartialResult, 9),
        (.geocodeCanceled, 10), (.deferredFailed, 11), (.deferredNotUpdatingLocation, 12),
        (.deferredAccuracyTooLow, 13), (.deferredDistanceFiltered, 14), (.deferredCanceled, 15),
        (.rangingUnavailable, 16), (.rangingFailure, 17), (.promptDeclined, 18), (.historicalLocationError, 19),
    ])
    func `has Apple's number`(_ code: CLError.Code, _ number: Int) { #expect(code.rawValue == number) }
}

@Suite struct `Other values` {
    @Test func `survive an archive`() async throws {
        let app = AppLocation()
        let (manager, recorder) = await app.heardManager()
        manager.startUpdatingHeading()
        app.service.tell(Heading(magnetic: 10, geographic: 12, time: 3))
        app.service.tell(.visit(Visit(Coordinate(1, 2), accuracy: 3, arrival: 4, departure: nil)))
        let heading = try coded(try #require(await recorder.headings.first(1).first))
        #expect(heading.magneticHeading == 10 && heading.trueHeading == 12 && heading.headingAccuracy == 180)
        #expect(heading.timestamp == Date(timeIntervalSince1970: 3) && heading.x == 0)
        let visit = try coded(try #require(await recorder.visits.first(1).first))
        #expect(visit.arrivalDate == Date(timeIntervalSince1970: 4) && visit.departureDate == .distantFuture)
        #expect(visit.coordinate.latitude == 1 && visit.horizontalAccuracy == 3)
    }

    @Test func `have Apple's numbers`() {
        #expect(kCLLocationAccuracyBest == -1 && kCLLocationAccuracyBestForNavigation == -2)
        #expect(kCLLocationAccuracyThreeKilometers == 3000 && kCLDistanceFilterNone == -1)
        #expect(CLAuthorizationStatus.authorizedWhenInUse.rawValue == 4 && CLActivityType.airborne.rawValue == 5)
        #expect(CLRegionState.outside.rawValue == 2 && CLMonitor.Event.State.unmonitored.rawValue == 3)
        #expect(CLDeviceOrientation.faceDown.rawValue == 6 && CLProximity.far.rawValue == 3)
    }

    @Test func `of fixes without all numbers are marked as not valid`() async throws {
        let app = AppLocation()
        app.service.setFix(Fix(Coordinate(1, 2), accuracy: 5, time: 6, source: .network, altitude: 7))
        let (manager, recorder) = await app.heardManager()
        manager.requestLocation()
        let location = try #require(await recorder.locations.first(1).first?.first)
        #expect(location.altitude == 7 && location.verticalAccuracy > 0)
        #expect(location.speed < 0 && location.course < 0 && location.speedAccuracy < 0)
        #expect(location.timestamp == Date(timeIntervalSince1970: 6))
        #expect(location.sourceInformation?.isProducedByAccessory == false)
    }
}

@Suite struct `A geocoder` {
    @Test func `says that there is none`() async throws {
        let (geocoder, errors) = (CLGeocoder(), Bell<(any Error)?>())
        geocoder.geocodeAddressString("1 Infinite Loop") { _, error in errors.ring(error) }
        geocoder.reverseGeocodeLocation(CLLocation(latitude: 1, longitude: 2)) { _, error in errors.ring(error) }
        #expect(await errors.first(2).allSatisfy { ($0 as? CLError)?.code == .network })
        await #expect(throws: CLError.self) { try await geocoder.geocodeAddressString("1 Infinite Loop") }
        #expect(!geocoder.isGeocoding)
    }
}
