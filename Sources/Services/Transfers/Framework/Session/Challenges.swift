internal import AppRuntime
internal import Foundation
internal import FoundationNetworking
internal import TransferWire
internal import Wire

extension SessionCore {
    /// Asks the delegate who is asking the server. What it says goes to the service, now or later.
    func challenge(
        _ number: Int64, _ info: TransferChallengeSpace, _ failures: Int, _ session: URLSession,
        _ task: any BackgroundTask, _ delegate: any URLSessionDelegate
    ) {
        let space = URLProtectionSpace.make(info)
        let stored = credentials?.defaultCredential(for: space)
        let answer = Once<(URLSession.AuthChallengeDisposition, URLCredential?)>(
            otherwise: (.performDefaultHandling, nil)
        ) { choice in
            var (disposition, credential) = choice
            // Default handling is what the program has stored; with that refused, the server's answer is the result.
            if disposition == .performDefaultHandling, failures == 0, let stored {
                (disposition, credential) = (.useCredential, stored)
            }
            self.answer(number, task.box, disposition, credential)
        }
        let challenge = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: stored, previousFailureCount: failures,
            failureResponse: task.response, error: nil, sender: ChallengeSender(answer))
        guard let delegate = delegate as? any URLSessionTaskDelegate else { return }
        delegate.urlSession(session, task: task, didReceive: challenge) { answer.give(($0, $1)) }
    }

    private func answer(
        _ number: Int64, _ box: TaskBox, _ disposition: URLSession.AuthChallengeDisposition,
        _ credential: URLCredential?
    ) {
        guard let task = box.assignedNumber else { return }
        var parameters = TransferCredentialParameters(
            session: identifier, task: Int64(task), number: number, disposition: disposition.word)
        if disposition == .useCredential, let credential {
            parameters.user = credential.user
            parameters.password = credential.password
            parameters.persistence = credential.persistence.word
        } else if disposition == .useCredential {
            // Without a credential it goes on as it is.
            parameters.disposition = .performDefaultHandling
        }
        tell(.credential, parameters.json)
    }
}

extension URLProtectionSpace {
    fileprivate static func make(_ info: TransferChallengeSpace) -> URLProtectionSpace {
        let methods = [
            "basic": NSURLAuthenticationMethodHTTPBasic, "digest": NSURLAuthenticationMethodHTTPDigest,
        ]
        let method = methods[info.method.lowercased()] ?? info.method
        if info.proxy {
            return URLProtectionSpace(
                proxyHost: info.host, port: Int(info.port), type: info.scheme, realm: info.realm,
                authenticationMethod: method)
        }
        return URLProtectionSpace(
            host: info.host, port: Int(info.port), protocol: info.scheme, realm: info.realm,
            authenticationMethod: method)
    }
}

/// The older way to answer: through the challenge's sender.
private final class ChallengeSender: NSObject, URLAuthenticationChallengeSender, Sendable {
    private let answer: Once<(URLSession.AuthChallengeDisposition, URLCredential?)>

    init(_ answer: Once<(URLSession.AuthChallengeDisposition, URLCredential?)>) { self.answer = answer }

    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
        answer.give((.useCredential, credential))
    }

    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
        answer.give((.performDefaultHandling, nil))
    }

    func cancel(_ challenge: URLAuthenticationChallenge) { answer.give((.cancelAuthenticationChallenge, nil)) }

    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
        answer.give((.performDefaultHandling, nil))
    }

    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
        answer.give((.rejectProtectionSpace, nil))
    }
}

extension URLSession.AuthChallengeDisposition {
    fileprivate var word: TransferDisposition {
        switch self {
        case .useCredential: .useCredential
        case .performDefaultHandling: .performDefaultHandling
        case .cancelAuthenticationChallenge: .cancelAuthenticationChallenge
        case .rejectProtectionSpace: .rejectProtectionSpace
        }
    }
}

extension URLCredential.Persistence {
    fileprivate var word: String {
        switch self {
        case .none: "none"
        case .forSession: "forSession"
        case .permanent: "permanent"
        case .synchronizable: "synchronizable"
        @unknown default: "none"
        }
    }
}
