import AppRuntime
import CoreLocation
import Foundation
import LocationClient
import LocationModel
import LocationWire
import Synchronization
import Testing
import Wire

@Suite struct `What wakes an app` {
    let app = AppLocation()

    @Test func `is told to all managers with a delegate, and answered then`() async throws {
        let (first, firstRecorder) = await app.heardManager()
        let (second, secondRecorder) = await app.heardManager()
        app.service.tell(.significantChange(fix(1)))
        app.service.tell(.entered(.home(), fix(2)))
        app.service.tell(.exited(.home(), fix(3)))
        app.service.tell(.visit(Visit(Coordinate(4, 5), accuracy: 30, arrival: 100, departure: nil)))
        #expect(await app.service.answers.first(4) == [1, 2, 3, 4])
        let words = [
            "locations 1.000", "entered home", "state home 1", "exited home", "state home 2", "visit",
        ]
        #expect(firstRecorder.news == words)
        #expect(secondRecorder.news == words)
        let region = try #require(firstRecorder.regions.all.first as? CLCircularRegion)
        #expect(region.radius == 100 && region.center.latitude == 50)
        let visit = try #require(firstRecorder.visits.all.first)
        #expect(visit.arrivalDate == Date(timeIntervalSince1970: 100) && visit.departureDate == .distantFuture)
        #expect(visit.coordinate.longitude == 5 && visit.horizontalAccuracy == 30)
        withExtendedLifetime((first, second)) {}
    }

    @Test func `is held until there is a manager with a delegate`() async {
        app.client.start()
        app.service.tell(.significantChange(fix(1)))
        let manager = app.manager()
        app.service.tell(.entered(.home(), fix(2)))
        await app.service.settle()
        #expect(app.service.answers.all.isEmpty)
        let recorder = Recorder()
        manager.delegate = recorder
        #expect(await app.service.answers.first(2) == [1, 2])
        #expect(
            recorder.words.all == [
                "authorization 3 0", "status 3", "locations 1.000", "entered home", "state home 1",
            ])
    }

    @Test func `is held while the app is being launched`() async {
        app.client.beginLaunching()
        let (manager, recorder) = await app.heardManager()
        app.service.tell(.significantChange(fix(1)))
        app.service.tell(.visit(Visit(Coordinate(4, 5), accuracy: 30, arrival: nil, departure: 9)))
        await app.service.settle()
        #expect(recorder.news.isEmpty)
        app.client.finishLaunching()
        #expect(await app.service.answers.first(2) == [1, 2])
        #expect(recorder.news == ["locations 1.000", "visit"])
        #expect(recorder.visits.all.first?.arrivalDate == .distantPast)
        withExtendedLifetime(manager) {}
    }

    @Test func `is dealt with up to a number only when all of it is`() async {
        let done = Bell<String>()
        app.client.woken(upTo: "2") { done.ring("two") }
        app.client.woken(upTo: "3") { done.ring("three") }
        app.client.woken(upTo: "not a number") { done.ring("none") }
        #expect(done.all == ["none"])
        app.service.tell(.significantChange(fix(1)))
        // Nothing in the app waits for this one, so it overtakes the other.
        app.service.tell(.paused)
        #expect(await app.service.answers.first(1) == [2])
        #expect(done.all == ["none"])
        let (manager, recorder) = await app.heardManager()
        #expect(await done.first(2) == ["none", "two"])
        app.service.tell(.significantChange(fix(2)))
        #expect(await done.first(3) == ["none", "two", "three"])
        app.client.woken(upTo: "3") { done.ring("again") }
        #expect(done.all.last == "again")
        withExtendedLifetime((manager, recorder)) {}
    }

    @Test func `is refused where it cannot be read`() async {
        let answers = Bell<Bool>()
        app.client.called(
            ServiceCall(seq: 1, method: "visit", params: ["seq": 1, "news": "visit"]) { result in
                answers.ring((try? result.get()) != nil)
            })
        #expect(await answers.first(1) == [false])
    }
}

@Suite struct `An app that is forgotten` {
    let app = AppLocation()

    @Test func `hears nothing more, and the next one begins anew`() async throws {
        let resets = Bell<Void>()
        app.client.whenReset { resets.ring(()) }
        let (manager, recorder) = await app.heardManager()
        manager.desiredAccuracy = 10
        manager.startUpdatingLocation()
        app.client.reset()
        #expect(resets.all.count == 1)
        app.service.tell(fix(1))
        await app.service.settle()
        #expect(recorder.news.isEmpty)
        #expect(manager.delegate == nil)
        app.service.surround { $0.authorization = .whenInUse }
        let (next, nextRecorder) = await app.heardManager()
        #expect(nextRecorder.authorizations.all == [.authorizedWhenInUse])
        next.startUpdatingLocation()
        app.service.tell(fix(2))
        #expect(await nextRecorder.locations.first(1).count == 1)
        #expect(recorder.news.isEmpty)
        #expect(try app.service.updates().last?.accuracy == -1)
    }

    @Test func `can have another service`() async {
        let other = FakeLocationService()
        let (manager, _) = await app.heardManager()
        app.client.use { listener in other.attach(listener) }
        let (next, recorder) = await app.heardManager()
        next.startUpdatingLocation()
        #expect(other.methods == [.update])
        other.tell(fix(1))
        #expect(await recorder.locations.first(1).count == 1)
        #expect(app.service.methods.isEmpty)
        withExtendedLifetime(manager) {}
    }
}

/// A service at the other end of a real connection.
private final class RemoteService: Sendable {
    let answers = Bell<Int64>()
    let hellos = Bell<LocationHello>()
    private let connection = Mutex<RawSocket?>(nil)
    /// Apart from those that UIKit's tests count.
    private let errands = ServiceErrands()

    func client() -> LocationClient {
        LocationClient { [errands] listener in
            ServiceClient("location", errand: "location", keeper: errands, listener: listener) { [self] in attempt() }
        }
    }

    private func attempt() -> ServiceStream.Attempt {
        guard let (near, far) = RawSocket.pair() else { return .notNow }
        connection.withLock { $0 = far }
        let thread = Thread { [self] in serve(far) }
        thread.start()
        return .connected(near)
    }

    func hangUp() { connection.withLock { $0 }?.shutDown() }

    func tell(_ told: LocationTold) {
        let line = RPCMessage.request(id: .int(told.seq), method: told.message.rawValue, params: told.json)
        connection.withLock { $0 }?.send(line.encoded())
    }

    private func serve(_ socket: RawSocket) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var framer = LineFramer()
        var passengers: [OwnedDescriptor] = []
        while let count = socket.receive(into: &buffer, &passengers) {
            framer.append(Array(buffer[..<count]))
            while let line = try? framer.next() {
                switch try? RPCMessage.parse(line) {
                case .request(let id, "hello", let params):
                    let surroundings = LocationSurroundings(authorization: .always)
                    socket.send(RPCMessage.response(id: id, result: surroundings.json).encoded())
                    if let hello = try? LocationHello(json: params) { hellos.ring(hello) }
                case .request(let id, _, _): socket.send(RPCMessage.response(id: id, result: [:]).encoded())
                case .response(.int(let seq), _): answers.ring(seq)
                default: break
                }
            }
        }
    }
}

@Suite struct `A number` {
    @Test func `is told once, and answered each time`() async throws {
        let service = RemoteService()
        let home = LocationHome(service.client(), .init(backgroundModes: { [] }, complain: { _ in }, folder: { nil }))
        let (manager, recorder) = (LocationHome.$current.withValue(home) { CLLocationManager() }, Recorder())
        manager.delegate = recorder
        _ = await recorder.authorizations.first(1)
        let told = LocationTold(seq: 5, news: .significantChange(fix(1)))
        service.tell(told)
        #expect(await service.answers.first(1) == [5])
        service.tell(told)
        #expect(await service.answers.first(2) == [5, 5])
        #expect(recorder.news == ["locations 1.000"])
    }

    @Test func `that is held is said to a service that comes again, with what the app wants`() async throws {
        let service = RemoteService()
        let home = LocationHome(service.client(), .init(backgroundModes: { [] }, complain: { _ in }, folder: { nil }))
        let manager = LocationHome.$current.withValue(home) { CLLocationManager() }
        manager.desiredAccuracy = 100
        manager.startUpdatingLocation()
        _ = await service.hellos.first(1)
        let told = LocationTold(seq: 5, news: .significantChange(fix(1)))
        service.tell(told)
        // What comes before this answer is with the app.
        service.tell(LocationTold(seq: 6, news: .paused))
        #expect(await service.answers.first(1) == [6])
        service.hangUp()
        let hello = try #require(await service.hellos.first(2).last)
        #expect(hello.running == [5])
        #expect(hello.updates?.accuracy == 100)
        service.tell(told)
        let recorder = Recorder()
        manager.delegate = recorder
        #expect(await service.answers.first(3).last == 5)
        #expect(recorder.news == ["locations 1.000"])
    }
}
