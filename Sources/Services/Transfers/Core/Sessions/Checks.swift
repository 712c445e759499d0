internal import Model

/// What a client may say. A request that breaks these rules is refused before it has any effect.
extension TransferSystem {
    func check(_ name: String, _ configuration: TransferConfiguration) throws(TransferRefusal) {
        guard (1...rules.longestSessionName).contains(name.utf8.count) else {
            throw .invalid(parameter: "session", "a session's name has 1 to \(rules.longestSessionName) bytes")
        }
        guard configuration.requestTimeout >= rules.shortestRequestTimeout,
            configuration.resourceTimeout > .zero, configuration.resourceTimeout <= rules.longestResourceTimeout,
            configuration.requestTimeout <= rules.longestResourceTimeout
        else { throw .invalid(parameter: "configuration", "a timeout is too short or too long") }
        try check(configuration.headers)
        try check(cachePolicy: configuration.cachePolicy, "configuration")
        let roots = configuration.trustRoots
        guard roots.count <= rules.mostTrustRoots,
            roots.reduce(0, { $0 + $1.utf8.count }) <= rules.longestTrustRoots
        else { throw .tooMuch("certificates") }
        if let proxy = configuration.proxy {
            let lengths = [proxy.host, proxy.user ?? "", proxy.password ?? ""].map(\.utf8.count)
            guard (1...65_535).contains(proxy.port), (1...255).contains(proxy.host.utf8.count),
                lengths.allSatisfy({ $0 <= rules.longestCredential })
            else { throw .invalid(parameter: "configuration", "there cannot be such a proxy") }
        }
        if let minimum = configuration.tlsMinimum, minimum.utf8.count > 16 {
            throw .invalid(parameter: "configuration", "there is no such version of TLS")
        }
    }

    func check(_ creation: TransferCreation) throws(TransferRefusal) {
        guard creation.number > 0, creation.number < 1 << 53 else {
            throw .invalid(parameter: "task", "a task's number is from 1 to 2⁵³ − 1")
        }
        try check(creation.request)
        guard (creation.kind == .upload) == (creation.body != nil) else {
            throw .invalid(parameter: "kind", "an upload comes with a file, and a download without")
        }
        try check(description: creation.description)
    }

    func check(_ request: TransferRequest) throws(TransferRefusal) {
        guard request.url.utf8.count <= rules.longestURL else { throw .tooMuch("bytes of a URL") }
        guard request.url.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .invalid(parameter: "url", "a URL has no control characters")
        }
        guard (1...rules.longestMethod).contains(request.method.utf8.count), request.method.isToken else {
            throw .invalid(parameter: "method", "that is no method of HTTP")
        }
        try check(request.headers)
        try check(cachePolicy: request.cachePolicy, "cachePolicy")
        guard request.body.count <= rules.longestRequestBody else { throw .tooMuch("bytes of a request's body") }
        if let timeout = request.timeout,
            timeout < rules.shortestRequestTimeout || timeout > rules.longestResourceTimeout
        {
            throw .invalid(parameter: "timeout", "a timeout is too short or too long")
        }
    }

    private func check(cachePolicy: Int32, _ parameter: String) throws(TransferRefusal) {
        guard CachePolicy(rawValue: cachePolicy) != nil else {
            throw .invalid(parameter: parameter, "there is no such cache policy")
        }
    }

    func check(description: String?) throws(TransferRefusal) {
        if let description, description.utf8.count > rules.longestDescription {
            throw .tooMuch("bytes of a description")
        }
    }

    func check(_ answer: ChallengeAnswer) throws(TransferRefusal) {
        guard case .useCredential(let credential) = answer else { return }
        guard max(credential.user.utf8.count, credential.password.utf8.count) <= rules.longestCredential else {
            throw .tooMuch("bytes of a credential")
        }
    }

    /// Nothing of a header may end its line: what comes behind would be a header of the client's making, or a request.
    private func check(_ headers: [HeaderField]) throws(TransferRefusal) {
        guard headers.count <= rules.mostHeaders,
            headers.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) <= rules.longestHeaders
        else { throw .tooMuch("headers") }
        for header in headers {
            let isLine = header.value.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
            guard header.name.isToken, isLine else {
                throw .invalid(parameter: "headers", "\(header.name.prefix(100)) is no header field of HTTP")
            }
        }
    }
}

extension String {
    /// A token of RFC 9110, section 5.6.2.
    var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
