import BackgroundTransfer
import Foundation
import Testing
import TransferWire
import Wire

@Suite("Cache policies of a background session", .timeLimit(.minutes(1)))
struct CachePolicyTests {
    private var request: URLRequest {
        URLRequest(url: address, cachePolicy: .reloadRevalidatingCacheData)
    }

    @Test("The session's and the request's reach the service, and the session has no cache")
    func told() async throws {
        let service = FakeService()
        let configuration = URLSessionConfiguration.background(withIdentifier: "policies")
        #expect(configuration.urlCache == nil)
        configuration.client = TransferClient(service)
        configuration.requestCachePolicy = .returnCacheDataDontLoad
        let session = URLSession(configuration: configuration, delegate: Recorder(), delegateQueue: nil)
        session.downloadTask(with: request).resume()
        session.downloadTask(with: address).resume()
        #expect(try TransferOpen(json: await service.call(.open).params).configuration.cachePolicy == 3)
        #expect(try TransferCreate(json: await service.call(.create).params).request.cachePolicy == 5)
        #expect(try TransferCreate(json: await service.call(.create, 2).params).request.cachePolicy == 0)
    }

    // Foundation on Linux has other raw values.
    @Test(
        "Each policy has Apple's number on the wire, and is itself again in a task's request",
        arguments: [
            (URLRequest.CachePolicy.useProtocolCachePolicy, 0), (.reloadIgnoringLocalCacheData, 1),
            (.returnCacheDataElseLoad, 2), (.returnCacheDataDontLoad, 3), (.reloadIgnoringLocalAndRemoteCacheData, 4),
            (.reloadRevalidatingCacheData, 5),
        ] as [(URLRequest.CachePolicy, Int64)])
    func numbers(policy: URLRequest.CachePolicy, number: Int64) async throws {
        let service = FakeService()
        let session = Run(service).session("numbers \(number)", Recorder())
        session.downloadTask(with: URLRequest(url: address, cachePolicy: policy)).resume()
        #expect(try TransferCreate(json: await service.call(.create).params).request.cachePolicy == number)
        let tasks = await withCheckedContinuation { continuation in
            session.getAllTasks { continuation.resume(returning: $0) }
        }
        #expect(tasks.map { $0.originalRequest?.cachePolicy } == [policy])
    }

    @Test("A relaunched program finds it in its tasks' requests")
    func relaunched() async throws {
        let service = FakeService()
        let first = Run(service)
        first.session("relaunched", Recorder()).downloadTask(with: request).resume()
        _ = await service.call(.resume)
        first.end()
        service.die()
        let session = Run(service).session("relaunched", Recorder())
        let tasks = await withCheckedContinuation { continuation in
            session.getAllTasks { continuation.resume(returning: $0) }
        }
        #expect(tasks.map { $0.originalRequest?.cachePolicy } == [.reloadRevalidatingCacheData])
    }

    @Test("A download that goes on keeps it, and so does a request that its delegate is asked about")
    func kept() async throws {
        let service = FakeService()
        let session = Run(service).session("kept", Recorder())
        let task = session.downloadTask(with: request)
        task.resume()
        let data = await withCheckedContinuation { continuation in
            task.cancel { continuation.resume(returning: $0) }
        }
        let second = session.downloadTask(withResumeData: try #require(data))
        second.resume()
        #expect(second.originalRequest?.cachePolicy == .reloadRevalidatingCacheData)
        #expect(try TransferCreate(json: await service.call(.create, 2).params).request.cachePolicy == 5)
    }

    @Test("What cannot be had without a request fails as Apple's does")
    func unavailable() async throws {
        let service = FakeService()
        let delegate = Recorder()
        let session = Run(service).session("unavailable", delegate)
        session.downloadTask(with: URLRequest(url: address, cachePolicy: .returnCacheDataDontLoad)).resume()
        _ = await service.call(.resume)
        let error = TransferErrorInfo(domain: NSURLErrorDomain, code: -1008, description: "no cache")
        service.emit(done(error), "unavailable", task: 1)
        #expect(await delegate.first(1) == ["completed with -1008"])
        #expect((delegate.errors.first as? URLError)?.code == .resourceUnavailable)
    }
}
