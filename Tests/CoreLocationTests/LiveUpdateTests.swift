import CoreLocation
import LocationClient
import LocationModel
import LocationWire
import Testing
import Wire

@Suite struct `Live updates` {
    let app = AppLocation()

    private func updates(
        _ configuration: CLLocationUpdate.LiveConfiguration = .default
    ) -> CLLocationUpdate.Updates.AsyncIterator {
        app.use { CLLocationUpdate.liveUpdates(configuration) }.makeAsyncIterator()
    }

    @Test func `bring locations, and say when nothing moves`() async throws {
        var updates = updates(.automotiveNavigation)
        await app.service.settle()
        app.service.tell(fix(1), fix(2))
        #expect(try await updates.next()?.location?.coordinate.latitude == 1)
        let second = try #require(try await updates.next())
        #expect(second.location?.coordinate.latitude == 2 && !second.stationary && !second.authorizationDenied)
        app.service.tell(.paused)
        let standing = try #require(try await updates.next())
        #expect(standing.isStationary && standing.stationary && standing.location?.coordinate.latitude == 2)
        app.service.tell(.resumed)
        #expect(try await updates.next()?.isStationary == false)
        #expect(try app.service.updates().map(\.activity) == [.automotiveNavigation])
    }

    @Test func `end with their reader`() async throws {
        let (service, location) = (app.service, app)
        let task = Task {
            for try await update in location.use({ CLLocationUpdate.liveUpdates() }) where update.location != nil {
                break
            }
        }
        while service.methods.isEmpty { await service.settle() }
        service.tell(fix(1))
        try await task.value
        #expect(service.methods == [.update, .stopUpdates])
    }

    @Test func `end with their task`() async throws {
        let location = app
        let task = Task {
            for try await _ in location.use({ CLLocationUpdate.liveUpdates() }) {}
        }
        while app.service.methods.isEmpty { await app.service.settle() }
        task.cancel()
        try await task.value
        #expect(app.service.methods == [.update, .stopUpdates])
    }

    @Test func `ask the user`() async throws {
        app.service.surround { $0.authorization = .notDetermined }
        app.service.grant(.whenInUse)
        app.service.refuse(.update, .denied)
        var updates = updates()
        let first = try #require(try await updates.next())
        #expect(first.authorizationRequestInProgress && first.location == nil && !first.authorizationDenied)
        app.service.allow(.update)
        #expect(try await updates.next()?.authorizationRequestInProgress == false)
        await app.service.settle()
        app.service.tell(fix(1))
        #expect(try await updates.next()?.location != nil)
        #expect(app.service.params(.authorize).map { $0["level"] } == ["whenInUse"])
    }

    @Test func `say why there is no location`() async throws {
        var updates = updates()
        await app.service.settle()
        app.service.tell(.locationUnknown)
        #expect(try await updates.next()?.locationUnavailable == true)
        app.service.tell(fix(1))
        #expect(try await updates.next()?.locationUnavailable == false)
        app.service.surround { $0.isReduced = true }
        #expect(try await updates.next()?.accuracyLimited == true)
        app.service.surround { $0.authorization = .denied }
        #expect(try await updates.next()?.authorizationDenied == true)
    }

    @Test func `say that there is no service`() async throws {
        app.service.leave()
        var updates = updates()
        let update = try #require(try await updates.next())
        #expect(update.authorizationDenied)
        #expect(try await updates.next()?.authorizationDeniedGlobally == true)
    }

    @Test func `go on in the background while a session is held`() async throws {
        app.service.surround { $0.authorization = .whenInUse }
        let updates = updates()
        await app.service.settle()
        let session = app.use { CLBackgroundActivitySession() }
        session.invalidate()
        #expect(try app.service.updates().map(\.allowsBackground) == [false, true, false])
        #expect(try app.service.updates().map(\.showsIndicator) == [false, true, false])
        withExtendedLifetime(updates) {}
    }

    @Test func `end when the app is forgotten`() async throws {
        var updates = updates()
        await app.service.settle()
        app.client.reset()
        #expect(try await updates.next() == nil)
    }
}

@Suite struct `Sessions` {
    let app = AppLocation()

    @Test func `ask for what they need, and say what is in the way`() async throws {
        app.service.surround { $0.authorization = .notDetermined }
        let session = app.use { CLServiceSession(authorization: .always, fullAccuracyPurposeKey: "navigation") }
        await app.service.settle()
        #expect(app.service.params(.authorize).map { $0["level"] } == ["always", "fullAccuracy"])
        var diagnostics = session.diagnostics.makeAsyncIterator()
        #expect(try await diagnostics.next()?.authorizationRequestInProgress == true)
        app.service.surround {
            $0.authorization = .whenInUse
            $0.isReduced = true
        }
        let next = try #require(try await diagnostics.next())
        #expect(next.alwaysAuthorizationDenied && next.fullAccuracyDenied && !next.authorizationDenied)
        session.invalidate()
        #expect(try await diagnostics.next() == nil)
    }

    @Test func `for the background need the property list's word`() async throws {
        let plain = AppLocation(modes: [])
        let session = plain.use { CLBackgroundActivitySession() }
        #expect(plain.complaints.all.count == 1)
        var diagnostics = session.diagnostics.makeAsyncIterator()
        #expect(try await diagnostics.next()?.authorizationDenied == false)
        session.invalidate()
        #expect(try await diagnostics.next() == nil)
    }
}
