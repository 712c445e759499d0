import BackgroundTransfer
import Foundation
import Testing
import TransferWire

/// A session whose service never answers.
private func idle(_ delegate: any URLSessionDelegate = Recorder()) -> URLSession {
    Run(FakeService(connections: 0)).session("refusals", delegate)
}

private func said(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

@Suite("What a background session refuses, with Apple's sentence")
struct RefusalTests {
    @Test("Data tasks")
    func dataTask() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = idle().dataTask(with: address)
        }
        #expect(said(result).contains("Data tasks are not supported in background sessions."))
    }

    @Test("Completion handlers")
    func handler() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = idle().downloadTask(with: address) { _, _, _ in }
        }
        #expect(
            said(result).contains(
                "Completion handler blocks are not supported in background sessions. Use a delegate instead."))
    }

    @Test("Uploads from memory")
    func memory() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = idle().uploadTask(with: URLRequest(url: address), from: Data())
        }
        #expect(said(result).contains("Upload tasks from NSData are not supported in background sessions."))
    }

    @Test("Uploads from a stream")
    func stream() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = idle().uploadTask(withStreamedRequest: URLRequest(url: address))
        }
        #expect(said(result).contains("Upload tasks in background sessions must be from a file"))
    }

    @Test("Other schemes")
    func scheme() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = idle().downloadTask(with: URL(fileURLWithPath: "/etc/hosts"))
        }
        #expect(
            said(result).contains(
                "Invalid URL scheme for background downloads: file. Valid schemes are http or https"))
    }

    @Test("Web sockets")
    func webSocket() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = idle().webSocketTask(with: address)
        }
        #expect(said(result).contains("WebSocket tasks are not supported in background sessions."))
    }

    @Test("An upload of a file that is not there")
    func missing() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = idle().uploadTask(with: URLRequest(url: address), fromFile: URL(fileURLWithPath: "/nowhere"))
        }
        #expect(said(result).contains("Cannot read file at file:///nowhere"))
    }

    @Test("Tasks of a session that is invalid")
    func invalid() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let session = idle()
            session.invalidateAndCancel()
            _ = session.downloadTask(with: address)
        }
        #expect(said(result).contains("Task created in a session that has been invalidated"))
    }

    @Test("Foundation's asynchronous conveniences, which would run in the foreground")
    func conveniences() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try await idle().download(from: address)
        }
        #expect(said(result).contains("was about to run in the foreground"))
    }

    @Test("A subclass of URLSession")
    func subclass() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let configuration = URLSessionConfiguration.background(withIdentifier: "subclass")
            _ = Subclass(configuration: configuration as URLSessionConfiguration)
        }
        #expect(said(result).contains("Subclass cannot be a background session"))
    }

    @Test("A second session with a live identifier is reported")
    func second() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let run = Run(FakeService(connections: 0))
            _ = run.session("twice", Recorder())
            _ = run.session("twice", Recorder())
            exit(0)
        }
        #expect(said(result).contains("A background URLSession with identifier twice already exists!"))
    }
}

// It adds nothing that could be shared.
private final class Subclass: URLSession, @unchecked Sendable {}

@Suite("However a session is made of a background configuration, it is a background session")
struct StaticTypeTests {
    private let delegate = Recorder()

    private func configuration(_ name: String) -> BackgroundURLSessionConfiguration {
        let configuration = URLSessionConfiguration.background(withIdentifier: name)
        configuration.client = TransferClient(FakeService(connections: 0))
        return configuration
    }

    private func isBackground(_ session: URLSession, _ name: String) -> Bool {
        String(describing: type(of: session)) == "BackgroundURLSession" && session.configuration.identifier == name
            && String(describing: type(of: session.downloadTask(with: address))) == "BackgroundDownloadTask"
    }

    @Test("With the type that background(withIdentifier:) returns")
    func typed() {
        let optional: (any URLSessionDelegate)? = delegate
        for (number, make) in [
            { URLSession(configuration: $0, delegate: delegate, delegateQueue: nil) },
            { URLSession(configuration: $0, delegate: optional, delegateQueue: nil) },
            { URLSession(configuration: $0, delegate: nil, delegateQueue: nil) },
            { URLSession(configuration: $0, delegate: delegate, delegateQueue: .main) },
            { URLSession(configuration: $0, delegate: optional, delegateQueue: OperationQueue()) },
            { URLSession(configuration: $0) },
        ].enumerated() as EnumeratedSequence<[(BackgroundURLSessionConfiguration) -> URLSession]> {
            #expect(isBackground(make(configuration("typed \(number)")), "typed \(number)"))
        }
    }

    @Test("With the type erased, also where no overload of this module fits")
    func erased() {
        let optional: (any URLSessionDelegate)? = delegate
        for (number, make) in [
            { URLSession(configuration: $0, delegate: delegate, delegateQueue: nil) },
            { URLSession(configuration: $0, delegate: optional, delegateQueue: nil) },
            { URLSession(configuration: $0, delegate: nil, delegateQueue: nil) },
            { URLSession(configuration: $0, delegate: delegate, delegateQueue: OperationQueue()) },
            { URLSession(configuration: $0) },
        ].enumerated() as EnumeratedSequence<[(URLSessionConfiguration) -> URLSession]> {
            #expect(isBackground(make(configuration("erased \(number)")), "erased \(number)"))
        }
    }

    @Test("In one expression")
    func leadingDot() {
        let session = URLSession(
            configuration: .background(withIdentifier: "dot"), delegate: delegate, delegateQueue: nil)
        #expect(session.configuration.identifier == "dot")
        #expect(session.delegate as? Recorder === delegate)
    }

    @Test("Sessions with other configurations run in the foreground")
    func foreground() {
        let session = URLSession(configuration: .default, delegate: delegate, delegateQueue: .main)
        #expect(String(describing: type(of: session)) == "ForegroundURLSession")
        #expect(session.delegate as? Recorder === delegate)
        #expect(session.delegateQueue === OperationQueue.main)
        #expect(String(describing: type(of: URLSession(configuration: .ephemeral))) == "ForegroundURLSession")
        #expect(String(describing: type(of: URLSession.shared)) == "ForegroundURLSession")
        #expect(type(of: Subclass(configuration: .default)) == Subclass.self)
    }
}
