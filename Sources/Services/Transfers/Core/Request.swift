package import Model

package struct HeaderField: Hashable, Sendable, Codable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

package enum TransferKind: String, Sendable, Codable, CaseIterable { case download, upload }

/// What traffic is for: Foundation's `NetworkServiceType`, where `default` says nothing.
package enum NetworkServiceType: String, Sendable, Codable, CaseIterable {
    case voip, video, background, voice, callSignaling

    /// The service class (DSCP, RFC 4594) that the network reads in packets.
    package var serviceClass: UInt8 {
        switch self {
        case .background: 8  // CS1
        case .voip, .callSignaling: 24  // CS3
        case .video: 34  // AF41
        case .voice: 46  // EF
        }
    }
}

/// What a client wants to have transferred.
package struct TransferRequest: Hashable, Sendable, Codable {
    package var url: String
    package var method: String
    package var headers: [HeaderField]
    /// The body of a download's request; an upload's is a file.
    package var body: [UInt8]
    /// In place of the session's.
    package var timeout: Span?
    package var allowsCellular: Bool
    /// A number of `CachePolicy`; the default leaves it to the session.
    package var cachePolicy: Int32
    /// In place of the session's.
    package var serviceType: NetworkServiceType?

    package init(
        url: String, method: String = "GET", headers: [HeaderField] = [], body: [UInt8] = [], timeout: Span? = nil,
        allowsCellular: Bool = true, cachePolicy: Int32 = 0, serviceType: NetworkServiceType? = nil
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.allowsCellular = allowsCellular
        self.cachePolicy = cachePolicy
        self.serviceType = serviceType
    }
}

/// A session's configuration, as it was when the session was opened last.
package struct TransferConfiguration: Hashable, Sendable, Codable {
    package enum Cookies: String, Sendable, Codable, CaseIterable { case always, never, mainDocument }

    package struct Proxy: Hashable, Sendable, Codable {
        package enum Kind: String, Sendable, Codable, CaseIterable { case http, socks }

        package var kind: Kind
        package var host: String
        package var port: Int32
        package var user: String?
        package var password: String?

        package init(kind: Kind, host: String, port: Int32, user: String? = nil, password: String? = nil) {
            self.kind = kind
            self.host = host
            self.port = port
            self.user = user
            self.password = password
        }
    }

    package var isDiscretionary = false
    package var sendsLaunchEvents = true
    package var allowsCellular = true
    package var allowsExpensive = true
    package var allowsConstrained = true
    package var requestTimeout = Span.seconds(60)
    package var resourceTimeout = Span.seconds(7 * 86_400)
    package var headers: [HeaderField] = []
    package var connectionsPerHost: Int32 = 6
    package var cookies = Cookies.always
    package var cachePolicy: Int32 = 0
    /// Of requests that name none.
    package var serviceType: NetworkServiceType?
    package var proxy: Proxy?
    package var tlsMinimum: String?
    /// PEM; in place of the machine's own.
    package var trustRoots: [String] = []
    /// The delegate wants to be asked before a request begins that `earliestBegin` delayed.
    package var asksBeforeDelayedRequests = false

    package init() {}
}

/// What is to be transferred, as a client made it.
package struct TransferCreation: Hashable, Sendable {
    /// The client's number.
    package var number: Int64
    package var kind: TransferKind
    package var request: TransferRequest
    package var description: String?
    /// From 0 to 1000.
    package var priority: Int32
    package var earliestBegin: WallTime?
    package var expectsToSend: Int64?
    package var expectsToReceive: Int64?
    /// The file of an upload, which the shell has made its own already.
    package var body: UploadBody?
    /// What the client got when an earlier download was cancelled or failed, decoded by the shell.
    package var resumes: ResumeData?
    /// `sha-256:HEX`, of the tool.
    package var checksum: String?
    /// The path that the tool wants the download to have; the shell made sure that it may.
    package var target: String?

    package init(
        number: Int64, kind: TransferKind, request: TransferRequest, description: String? = nil, priority: Int32 = 500,
        earliestBegin: WallTime? = nil, expectsToSend: Int64? = nil, expectsToReceive: Int64? = nil,
        body: UploadBody? = nil, resumes: ResumeData? = nil, checksum: String? = nil, target: String? = nil
    ) {
        self.number = number
        self.kind = kind
        self.request = request
        self.description = description
        self.priority = priority
        self.earliestBegin = earliestBegin
        self.expectsToSend = expectsToSend
        self.expectsToReceive = expectsToReceive
        self.body = body
        self.resumes = resumes
        self.checksum = checksum
        self.target = target
    }
}

package struct UploadBody: Hashable, Sendable, Codable {
    package var file: TransferFile
    package var length: Int64

    package init(file: TransferFile, length: Int64) {
        self.file = file
        self.length = length
    }
}

/// What lets a later task go on where one ended. The file stays with the service; the client holds these words of it.
package struct ResumeData: Hashable, Sendable, Codable {
    package var file: TransferFile
    package var url: String
    package var validator: Validator
    package var offset: Int64
    package var expected: Int64?

    package init(file: TransferFile, url: String, validator: Validator, offset: Int64, expected: Int64?) {
        self.file = file
        self.url = url
        self.validator = validator
        self.offset = offset
        self.expected = expected
    }
}

/// What a client may change of a task; what is `nil` stays.
package struct TransferChange: Hashable, Sendable {
    package var description: String?
    package var priority: Int32?
    package var earliestBegin: WallTime?
    package var expectsToSend: Int64?
    package var expectsToReceive: Int64?

    package init(
        description: String? = nil, priority: Int32? = nil, earliestBegin: WallTime? = nil,
        expectsToSend: Int64? = nil, expectsToReceive: Int64? = nil
    ) {
        self.description = description
        self.priority = priority
        self.earliestBegin = earliestBegin
        self.expectsToSend = expectsToSend
        self.expectsToReceive = expectsToReceive
    }
}
