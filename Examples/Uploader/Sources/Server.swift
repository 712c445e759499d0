import Foundation
import FoundationNetworking
import Synchronization

/// The other side, `server.py`: it says how much of a photo it has, and takes the next piece.
struct Server: Sendable {
    let port: Int

    struct Progress: Sendable {
        var offset: Int
        var isComplete: Bool
    }

    struct Failure: Error {}

    func progress(of name: String) throws -> Progress { try ask(try request("HEAD", name), nil) }

    /// An answer that is lost costs a question, not a piece: the server refuses what it has.
    func send(_ photo: Data, name: String, range: Range<Int>) throws -> Progress {
        var request = try request("PATCH", name)
        request.setValue("\(range.lowerBound)", forHTTPHeaderField: "Upload-Offset")
        request.setValue("\(photo.count)", forHTTPHeaderField: "Upload-Length")
        // The photo's name is its digest.
        request.setValue(String(name.prefix { $0 != "." }), forHTTPHeaderField: "Upload-Digest")
        return try ask(request, photo[range])
    }

    private func request(_ method: String, _ name: String) throws -> URLRequest {
        guard let url = URL(string: "http://127.0.0.1:\(port)/photos/\(name)") else { throw Failure() }
        var request = URLRequest(url: url, timeoutInterval: 10)
        request.httpMethod = method
        return request
    }

    private func ask(_ request: URLRequest, _ body: Data?) throws -> Progress {
        var request = request
        request.httpBody = body.map { Data($0) }
        let done = DispatchSemaphore(value: 0)
        let answer = Answer()
        URLSession.shared.dataTask(with: request) { _, response, _ in
            let progress = Self.progress(response as? HTTPURLResponse)
            answer.progress.withLock { $0 = progress }
            done.signal()
        }.resume()
        done.wait()
        guard let progress = answer.progress.withLock({ $0 }) else { throw Failure() }
        return progress
    }

    private final class Answer: Sendable { let progress = Mutex<Progress?>(nil) }

    private static func progress(_ response: HTTPURLResponse?) -> Progress? {
        guard let response, [200, 204, 409].contains(response.statusCode),
            let offset = response.value(forHTTPHeaderField: "Upload-Offset").flatMap({ Int($0) })
        else { return nil }
        return Progress(
            offset: offset, isComplete: response.value(forHTTPHeaderField: "Upload-Complete") == "1")
    }
}
