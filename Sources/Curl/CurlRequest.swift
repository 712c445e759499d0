/// A field of a head: a name and a value, without the line's end.
package struct CurlField: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension CurlField {
    /// As a server wrote it. Of what is no field the library hands on some, as a value that is the end of its line.
    init?(received name: String, _ value: String) {
        func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
        let isWhole = !name.isEmpty && !name.utf8.contains { $0 < 0x20 } && !value.utf8.contains(where: isLineEnd)
        guard isWhole else { return nil }
        self.init(name, value)
    }
}

/// A request to a server.
package struct CurlRequest: Sendable {
    package enum Body: Hashable, Sendable {
        case none
        /// So many bytes, which the transfer's delegate supplies.
        case bytes(Int64)
    }

    package struct Proxy: Hashable, Sendable {
        package enum Kind: Sendable { case http, socks }

        package var kind: Kind
        package var host: String
        package var port: Int
        package var user: String?
        package var password: String?

        package init(kind: Kind, host: String, port: Int, user: String? = nil, password: String? = nil) {
            (self.kind, self.host, self.port, self.user, self.password) = (kind, host, port, user, password)
        }
    }

    package enum TLSVersion: Sendable {
        case tls1, tls11, tls12, tls13
    }

    package var url: String
    package var method: String
    /// Together with `Host` and the length of the body these are all the fields that are sent.
    package var fields: [CurlField]
    package var body = Body.none
    package var proxy: Proxy?
    package var oldestTLS = TLSVersion.tls12
    /// Certificates in PEM that are trusted in place of the system's; `nil`: the system's.
    package var roots: String?
    /// Seconds for a connection to come about, TLS included.
    package var connectTimeout = 20.0
    /// The service class (DSCP) of what is sent; `nil`: none.
    package var serviceClass: UInt8?
    /// Whether a body that is coded with gzip, deflate, Brotli or Zstandard is decoded.
    package var decodes = true

    package init(url: String, method: String, fields: [CurlField]) {
        self.url = url
        self.method = method
        self.fields = fields
    }
}

/// The head of an answer, or of one between (1xx).
package struct CurlHead: Hashable, Sendable {
    package var status: Int
    /// `1.0`, `1.1`, `2.0` or `3`.
    package var version: String
    package var fields: [CurlField]

    package init(status: Int, version: String = "1.1", fields: [CurlField]) {
        self.status = status
        self.version = version
        self.fields = fields
    }

    package func values(_ name: String) -> [String] {
        let name = name.lowercased()
        return fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    package func first(_ name: String) -> String? { values(name).first }
}

/// Why a transfer came to nothing.
package enum CurlFailure: Error, Hashable, Sendable {
    /// It was taken back.
    case cancelled
    case unsupportedURL
    case hostNotFound, proxyNotFound
    /// - Parameter errno: what the kernel said last; 0: nothing.
    case notConnected(errno: Int32)
    /// - Parameter status: what the proxy answered to the wish for a tunnel; 0: nothing.
    case proxyRefused(status: Int)
    case timedOut
    case connectionLost
    /// The server wants another connection.
    case streamRefused
    /// The answer was no HTTP, or contradicts itself.
    case badAnswer
    /// The body is not coded as the answer says.
    case undecodable
    /// TLS did not come about.
    case notSecure
    case certificateExpired, certificateNotYetValid, certificateUntrusted
    /// The server wants another certificate of the client, or one at all.
    case certificateRejected
    /// The part of the body that was sent would have to be sent again.
    case cannotSendAgain
    /// Any other failure, with libcurl's description.
    case other(String)
}
