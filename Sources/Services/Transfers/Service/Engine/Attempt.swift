internal import Model
internal import TransferCore

/// Names a session of an app: what shares cookies and credentials.
struct SessionKey: Hashable, Sendable {
    /// `nil`: a tool's own transfers.
    let app: String?
    let session: String
}

/// How connections are made.
struct ConnectionSettings: Sendable {
    var tlsMinimum: String?
    /// Certificates in PEM that are trusted in place of the system's.
    var trustRoots: [String] = []
    var proxy: TransferConfiguration.Proxy?
    /// Of the packets (DSCP); `nil`: none.
    var serviceClass: UInt8?

    init(_ configuration: TransferConfiguration, _ request: TransferRequest) {
        tlsMinimum = configuration.tlsMinimum
        trustRoots = configuration.trustRoots
        proxy = configuration.proxy
        serviceClass = (request.serviceType ?? configuration.serviceType)?.serviceClass
    }
}

/// What an attempt sends, and where the answer goes: an order of the Core in the words of HTTP.
struct Attempt: Sendable {
    enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// A file from an offset to its end.
        case file(TransferFile, from: Int64, length: Int64)
    }

    var id: AttemptID
    var session: SessionKey
    var url: String
    var method: String
    var headers: [HeaderField]
    var settings: ConnectionSettings
    /// Without a byte for so many seconds it has failed.
    var requestTimeout: Double
    var usesCookies: Bool
    var credential: TransferCredential?
    var space: ChallengeSpace?
    var body = Body.none
    /// Where the answer's body goes, and what has to be there already.
    var target: TransferFile
    var offset: Int64 = 0
    /// The answer to an upload, and no longer than that.
    var longestAnswer: Int64?
    /// Only the head of the answer counts.
    var isQuestion = false
    /// `sha-256:HEX`, as somebody said beforehand.
    var checksum: String?

    init(_ id: AttemptID, _ order: DownloadOrder, session: SessionKey) {
        self.init(
            id, order.request, order.configuration, session, order.file, order.credential, order.space,
            order.proxyCredential)
        if !order.request.body.isEmpty { body = .bytes(order.request.body) }
        offset = order.offset
        checksum = order.checksum
        if order.offset > 0 {
            set("Range", "bytes=\(order.offset)-")
            if let validator = order.validator { set("If-Range", validator.ifRange) }
        }
    }

    init(_ id: AttemptID, _ order: UploadOrder, session: SessionKey, interopVersion: Int32) {
        self.init(
            id, order.request, order.configuration, session, order.file, order.credential, order.space,
            order.proxyCredential)
        longestAnswer = order.longestAnswer
        switch order.step {
        case .whole:
            body = .file(order.body.file, from: 0, length: order.body.length)
            set("Upload-Complete", "?1")
        case .ask(let resource):
            url = resource
            method = "HEAD"
            isQuestion = true
        case .append(let resource, let offset):
            url = resource
            method = "PATCH"
            body = .file(order.body.file, from: offset, length: order.body.length)
            set("Content-Type", "application/partial-upload")
            set("Upload-Offset", String(offset))
            set("Upload-Complete", "?1")
        }
        set("Upload-Draft-Interop-Version", String(interopVersion))
    }

    private init(
        _ id: AttemptID, _ request: TransferRequest, _ configuration: TransferConfiguration, _ session: SessionKey,
        _ target: TransferFile, _ credential: TransferCredential?, _ space: ChallengeSpace?,
        _ proxyCredential: TransferCredential?
    ) {
        self.id = id
        self.session = session
        url = request.url
        method = request.method
        let own = Set(request.headers.map { $0.name.lowercased() })
        headers = configuration.headers.filter { !own.contains($0.name.lowercased()) } + request.headers
        headers += CachePolicy(request, configuration).fields(beside: headers)
        settings = ConnectionSettings(configuration, request)
        if let proxyCredential {
            settings.proxy?.user = proxyCredential.user
            settings.proxy?.password = proxyCredential.password
        }
        requestTimeout = max(0.1, (request.timeout ?? configuration.requestTimeout).seconds)
        usesCookies = configuration.cookies != .never
        self.credential = credential
        self.space = space
        self.target = target
        // What comes is the thing itself: only so do offsets count.
        set("Accept-Encoding", "identity")
        if !own.contains("user-agent") { set("User-Agent", "greenroom-transferd/1") }
        if !headers.contains(where: { $0.name.lowercased() == "accept" }) { set("Accept", "*/*") }
    }

    /// Where the part of the body begins that is sent, and where it ends.
    var bodyStart: Int64 { if case .file(_, let start, _) = body { start } else { 0 } }

    var bodyLength: Int64 {
        switch body {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .file(_, _, let length): length
        }
    }

    private mutating func set(_ name: String, _ value: String) {
        headers.removeAll { $0.name.lowercased() == name.lowercased() }
        headers.append(HeaderField(name, value))
    }
}
