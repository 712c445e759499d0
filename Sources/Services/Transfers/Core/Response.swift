/// What shows that two responses are parts of the same thing.
package enum Validator: Hashable, Sendable, Codable {
    /// A strong entity tag, with its quotation marks.
    case etag(String)
    /// A date old enough to tell, word for word.
    case lastModified(String)

    /// The value of `If-Range`.
    package var ifRange: String {
        switch self {
        case .etag(let text), .lastModified(let text): text
        }
    }
}

/// The part that a 206 has: `Content-Range: bytes START-END/TOTAL`.
package struct ContentRange: Hashable, Sendable, Codable {
    package var start: Int64
    package var end: Int64
    package var total: Int64?

    package init(start: Int64, end: Int64, total: Int64?) {
        self.start = start
        self.end = end
        self.total = total
    }
}

/// What is told to the client of a response.
package struct TransferResponse: Hashable, Sendable, Codable {
    /// Where redirects led.
    package var url: String
    package var status: Int32
    package var headers: [HeaderField]
    package var httpVersion: String

    package init(url: String, status: Int32, headers: [HeaderField], httpVersion: String = "HTTP/1.1") {
        self.url = url
        self.status = status
        self.headers = headers
        self.httpVersion = httpVersion
    }
}

/// A response's head as the shell received it. What the Core decides by it reads from the headers itself.
package struct ResponseHead: Hashable, Sendable {
    package var response: TransferResponse

    package init(_ response: TransferResponse) { self.response = response }

    package init(status: Int32, headers: [HeaderField] = [], url: String = "") {
        response = TransferResponse(url: url, status: status, headers: headers)
    }
}

/// Why a try ended without an answer.
package enum NetworkFailure: UInt8, Sendable, Codable, CaseIterable {
    case cannotFindHost, cannotConnect, connectionLost, timedOut, notConnected
    /// The server's answer was no HTTP, or contradicts itself.
    case badResponse
    /// The server asked politely for another connection (HTTP/2 GOAWAY, a refused stream).
    case refusedStream
    case tooManyRedirects, redirectToNowhere, unsupportedURL
    case secureConnectionFailed, certificateExpired, certificateUntrusted, certificateNotYetValid
    case certificateRejected
    /// The proxy could not be reached, or refused.
    case proxyFailed
    /// The proxy makes no tunnel for somebody whom it does not know.
    case proxyAuthenticationRequired
    /// The file to upload cannot be read any more.
    case bodyUnreadable
    /// The upload was taken, and what the server says to it is longer than what is kept of that.
    case answerTooLong
    /// The answer's body is not coded as the server says.
    case undecodable
}

package enum FileFailure: UInt8, Sendable, Codable, CaseIterable {
    case diskFull, quotaExceeded, notPermitted
    /// What the folder was when the transfer began, it is no more.
    case targetGone
    case other
}

/// What the bytes turned out to be, where somebody had said what they should be.
package enum DigestVerdict: UInt8, Sendable, Codable { case unknown, matches, differs }

package struct ChallengeSpace: Hashable, Sendable, Codable {
    package var host: String
    package var port: Int32
    package var scheme: String
    package var realm: String?
    /// `basic`, `digest` or what the server said, in small letters.
    package var method: String
    package var isProxy: Bool

    package init(host: String, port: Int32, scheme: String, realm: String?, method: String, isProxy: Bool = false) {
        self.host = host
        self.port = port
        self.scheme = scheme
        self.realm = realm
        self.method = method
        self.isProxy = isProxy
    }
}

package struct TransferCredential: Hashable, Sendable, Codable {
    package var user: String
    package var password: String

    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

package enum ChallengeAnswer: Hashable, Sendable {
    case useCredential(TransferCredential)
    case performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
}

/// The error that a task ends with: a code of `NSURLErrorDomain`.
package struct TransferError: Hashable, Sendable, Codable {
    package enum CancelReason: Int32, Sendable, Codable {
        case userForceQuit = 0
        case backgroundUpdatesDisabled = 1
        case insufficientResources = 2
    }

    package var code: Int32
    package var description: String
    package var reason: CancelReason?

    package init(code: Int32, _ description: String, reason: CancelReason? = nil) {
        self.code = code
        self.description = description
        self.reason = reason
    }
}
