internal import Foundation
internal import FoundationNetworking

/// Ends the program with Apple's sentence, where Apple's frameworks raise an exception that programs do not catch.
func refuse(_ sentence: String) -> Never {
    // A mistake in the program, and Swift has no exceptions.
    fatalError(sentence)
}

/// What Apple says where a background session is asked for something that it cannot do.
enum Refusal {
    static let completionHandler =
        "Completion handler blocks are not supported in background sessions. Use a delegate instead."
    static let dataTask = "Data tasks are not supported in background sessions."
    static let uploadFromData = "Upload tasks from NSData are not supported in background sessions."
    static let uploadFromStream = "Upload tasks in background sessions must be from a file"
    static let webSocketTask = "WebSocket tasks are not supported in background sessions."
    static let invalidated = "Task created in a session that has been invalidated"

    static func scheme(_ url: URL?, _ verb: String) -> String {
        "Invalid URL scheme for background \(verb): \(url?.scheme ?? "(null)"). Valid schemes are http or https"
    }

    static func unreadable(_ file: URL) -> String { "Cannot read file at \(file.absoluteString)" }
}

/// Stands in every background configuration for the protocols that load within this process. It is reached only where a
/// background session was not taken over, or by Foundation's asynchronous conveniences, and it never lets that pass in
/// silence: the transfer would end with the process.
final class RefusingURLProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        refuse(
            """
            A task with a background configuration was about to run in the foreground. The asynchronous conveniences \
            (data(for:), download(for:), upload(for:)) are not supported in background sessions: use a delegate \
            instead. In a program that links Foundation statically, pass the configuration as the \
            BackgroundURLSessionConfiguration that background(withIdentifier:) returns, or a delegate that is no \
            optional.
            """)
    }

    override func stopLoading() {}
}
