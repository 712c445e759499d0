import CoreLocation
import Foundation
import LocationClient
import LocationModel
import LocationWire
import Testing
import Wire

@Suite struct `A monitor` {
    let app = AppLocation()
    let circle = CLMonitor.CircularGeographicCondition(
        center: CLLocationCoordinate2D(latitude: 50, longitude: 8), radius: 100)

    private func region(_ identifier: String, of monitor: String = "gym") -> String {
        "greenroom.CLMonitor/\(monitor)/\(identifier)"
    }

    private func monitor(_ name: String = "gym", in app: AppLocation? = nil) async -> CLMonitor {
        await (app ?? self.app).use { await CLMonitor(name) }
    }

    /// The next events, as words.
    private func events(_ monitor: CLMonitor, _ count: Int) async throws -> [String] {
        var words: [String] = []
        for try await event in await monitor.events {
            words.append("\(event.identifier) \(event.state)")
            if words.count == count { break }
        }
        return words
    }

    @Test func `says at first how a condition is`() async throws {
        app.service.place(.inside, region("door"))
        let monitor = await monitor()
        await monitor.add(circle, identifier: "door")
        #expect(try await events(monitor, 1) == ["door satisfied"])
        #expect(await monitor.identifiers == ["door"])
        let record = try #require(await monitor.record(for: "door"))
        #expect(record.lastEvent.state == .satisfied && record.lastEvent.refinement == nil)
        #expect((record.condition as? CLMonitor.CircularGeographicCondition)?.radius == 100)
        let asked = try Region(json: #require(app.service.params(.monitor).first))
        #expect(asked == Region(region("door"), center: Coordinate(50, 8), radius: 100))
    }

    @Test func `says nothing at first if it is as the app takes it to be`() async throws {
        app.service.place(.outside, region("door"))
        let monitor = await monitor()
        await monitor.add(circle, identifier: "door", assuming: .unsatisfied)
        await app.service.settle()
        app.service.tell(.entered(.home(region("door")), fix(1, at: 77)))
        #expect(try await events(monitor, 1) == ["door satisfied"])
        let record = try #require(await monitor.record(for: "door"))
        #expect(record.lastEvent.date == Date(timeIntervalSince1970: 77))
    }

    @Test func `tells what happens, once each`() async throws {
        let monitor = await monitor()
        await monitor.add(circle, identifier: "a/b", assuming: .unsatisfied)
        await app.service.settle()
        var events = await monitor.events.makeAsyncIterator()
        app.service.tell(.entered(.home(region("a/b")), fix(1)))
        app.service.tell(.entered(.home(region("a/b")), fix(1)))
        app.service.tell(.exited(.home(region("a/b")), fix(2)))
        #expect(await app.service.answers.first(3) == [1, 2, 3])
        #expect(try await events.next()?.state == .satisfied)
        let second = try #require(try await events.next())
        #expect(second.state == .unsatisfied && second.identifier == "a/b")
        var later = await monitor.events.makeAsyncIterator()
        app.service.tell(.entered(.home(region("a/b")), fix(3)))
        #expect(try await events.next()?.state == .satisfied)
        #expect(try await later.next()?.state == .satisfied)
    }

    @Test func `does not show its regions, nor tell managers of them`() async throws {
        let (manager, recorder) = await app.heardManager()
        let monitor = await monitor()
        await monitor.add(circle, identifier: "door")
        #expect(manager.monitoredRegions.isEmpty)
        await app.service.settle()
        app.service.tell(.entered(.home(region("door")), fix(1)))
        #expect(await app.service.answers.first(1) == [1])
        #expect(manager.monitoredRegions.isEmpty)
        #expect(recorder.news.isEmpty)
        await monitor.remove("door")
        #expect(await monitor.identifiers.isEmpty)
        #expect(await monitor.record(for: "door") == nil)
        #expect(app.service.params(.unmonitor) == [["identifier": .string(region("door"))]])
    }

    @Test func `has its records again in the next process, and hears then what was held`() async throws {
        do {
            let monitor = await monitor("Gym & pool")
            await monitor.add(circle, identifier: "door", assuming: .unsatisfied)
            await monitor.add(
                CLMonitor.BeaconIdentityCondition(uuid: UUID(), major: 3), identifier: "beacon")
            await app.service.settle()
        }
        let name = region("door", of: "Gym%20%26%20pool")
        let next = AppLocation.second(of: app)
        next.service.surround { $0.regions = [.home(name)] }
        next.client.start()
        next.service.tell(.entered(.home(name), fix(1)))
        await next.service.settle()
        #expect(next.service.answers.all.isEmpty)
        let monitor = await monitor("Gym & pool", in: next)
        #expect(await next.service.answers.first(1) == [1])
        #expect(await monitor.identifiers == ["beacon", "door"])
        #expect(try await events(monitor, 2).sorted() == ["beacon unmonitored", "door satisfied"])
        // The service knows it.
        #expect(next.service.params(.monitor).isEmpty)
    }

    @Test func `asks again for what the service does not know any more`() async throws {
        do {
            let monitor = await monitor()
            await monitor.add(circle, identifier: "door")
            await app.service.settle()
        }
        let next = AppLocation.second(of: app)
        let monitor = await monitor(in: next)
        await next.service.settle()
        #expect(next.service.params(.monitor).count == 1)
        withExtendedLifetime(monitor) {}
    }

    @Test func `keeps an event until something hears it`() async throws {
        let monitor = await monitor()
        await monitor.add(circle, identifier: "door", assuming: .unsatisfied)
        app.service.tell(.entered(.home(region("door")), fix(1)))
        #expect(await app.service.answers.first(1) == [1])
        #expect(try await events(monitor, 1) == ["door satisfied"])
        app.service.tell(.exited(.home(region("door")), fix(1)))
        #expect(try await events(monitor, 1) == ["door unsatisfied"])
    }

    @Test func `says why a condition is not watched`() async throws {
        let monitor = await monitor()
        func reason(_ condition: any CLCondition) async throws -> CLMonitor.Event? {
            await monitor.add(condition, identifier: "x")
            for try await event in await monitor.events { return event }
            return nil
        }
        let beacon = try await reason(CLMonitor.BeaconIdentityCondition(uuid: UUID()))
        #expect(beacon?.state == .unmonitored && beacon?.conditionUnsupported == true)
        app.service.refuse(.monitor, .regionMonitoringFailure)
        #expect(try await reason(circle)?.conditionLimitExceeded == true)
        app.service.refuse(.monitor, .denied)
        #expect(try await reason(circle)?.authorizationDenied == true)
    }

    @Test func `is one for a name`() async throws {
        let (one, other) = (await monitor(), await monitor())
        await one.add(circle, identifier: "door")
        #expect(await other.identifiers == ["door"])
        #expect(await monitor("home").identifiers.isEmpty)
        #expect(one.name == "gym")
    }

    @Test func `ends with the app`() async throws {
        let monitor = await monitor()
        await monitor.add(circle, identifier: "door")
        var events = await monitor.events.makeAsyncIterator()
        await app.service.settle()
        app.client.reset()
        #expect(try await events.next() == nil)
    }

    @Test func `says that it cannot be kept, and watches all the same`() async throws {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("file-\(UUID().uuidString)")
        try Data().write(to: place)
        defer { try? FileManager.default.removeItem(at: place) }
        let (service, complaints) = (FakeLocationService(), Bell<String>())
        let home = LocationHome(
            service.client(),
            .init(backgroundModes: { [] }, complain: { complaints.ring($0) }, folder: { place }))
        let monitor = await LocationHome.$current.withValue(home) { await CLMonitor("gym") }
        await monitor.add(circle, identifier: "door")
        #expect(await complaints.first(1).first?.contains("gym") == true)
        service.tell(.entered(.home(region("door")), fix(1)))
        #expect(try await events(monitor, 1) == ["door satisfied"])
    }
}
