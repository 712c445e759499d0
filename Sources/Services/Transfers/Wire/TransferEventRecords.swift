package import Wire

/// The parameters of the notification `progress` of a client.
package struct TransferProgress: WireRecord {
    package var session: String
    package var task: Int64
    package var received: Int64?
    package var sent: Int64?
    /// Since the last one.
    package var bytes: Int64
    package var expected: Int64?

    package init(
        session: String, task: Int64, received: Int64? = nil, sent: Int64? = nil, bytes: Int64, expected: Int64? = nil
    ) {
        self.session = session
        self.task = task
        self.received = received
        self.sent = sent
        self.bytes = bytes
        self.expected = expected
    }

    package init(json: JSONValue) throws(RPCError) {
        session = try json.string("session")
        task = try json.integer("task")
        received = try json.optionalInteger("received")
        sent = try json.optionalInteger("sent")
        bytes = try json.integer("bytes")
        expected = try json.optionalInteger("expected")
    }

    package var json: JSONValue {
        [
            "session": .string(session),
            "task": .int(task),
            "received": received.map(JSONValue.int) ?? .null,
            "sent": sent.map(JSONValue.int) ?? .null,
            "bytes": .int(bytes),
            "expected": expected.map(JSONValue.int) ?? .null,
        ]
    }
}

/// The error that a task ended with.
package struct TransferErrorInfo: WireRecord {
    package var domain: String
    package var code: Int64
    package var description: String
    package var resumeData: [UInt8]?
    /// Of a cancellation: 0, 1 or 2, as Apple numbers them.
    package var reason: Int64?

    package init(domain: String, code: Int64, description: String, resumeData: [UInt8]? = nil, reason: Int64? = nil) {
        self.domain = domain
        self.code = code
        self.description = description
        self.resumeData = resumeData
        self.reason = reason
    }

    package init(json: JSONValue) throws(RPCError) {
        domain = try json.string("domain")
        code = try json.integer("code")
        description = try json.string("description")
        resumeData = try json.optionalBytes("resumeData")
        reason = try json.optionalInteger("reason")
    }

    package var json: JSONValue {
        [
            "domain": .string(domain),
            "code": .int(code),
            "description": .string(description),
            "resumeData": JSONValue(resumeData.map(Base64.text)),
            "reason": reason.map(JSONValue.int) ?? .null,
        ]
    }
}

/// A response, as the client is told of it.
package struct TransferResponseInfo: WireRecord {
    package var url: String
    package var status: Int64
    package var headers: [WireHeader]
    package var httpVersion: String

    package init(url: String, status: Int64, headers: [WireHeader] = [], httpVersion: String) {
        self.url = url
        self.status = status
        self.headers = headers
        self.httpVersion = httpVersion
    }

    package init(json: JSONValue) throws(RPCError) {
        url = try json.string("url")
        status = try json.integer("status")
        headers = try json.headers("headers")
        httpVersion = try json.string("httpVersion")
    }

    package var json: JSONValue {
        [
            "url": .string(url),
            "status": .int(status),
            "headers": .headers(headers),
            "httpVersion": .string(httpVersion),
        ]
    }
}

/// Where a server or a proxy wants to know who asks.
package struct TransferChallengeSpace: WireRecord {
    package var host: String
    package var port: Int64
    package var scheme: String
    package var realm: String?
    package var method: String
    package var proxy: Bool

    package init(host: String, port: Int64, scheme: String, realm: String? = nil, method: String, proxy: Bool = false) {
        self.host = host
        self.port = port
        self.scheme = scheme
        self.realm = realm
        self.method = method
        self.proxy = proxy
    }

    package init(json: JSONValue) throws(RPCError) {
        host = try json.string("host")
        port = try json.integer("port")
        scheme = try json.string("protocol")
        realm = try json.optionalString("realm")
        method = try json.string("method")
        proxy = try json.bool("proxy", default: false)
    }

    package var json: JSONValue {
        [
            "host": .string(host),
            "port": .int(port),
            "protocol": .string(scheme),
            "realm": JSONValue(realm),
            "method": .string(method),
            "proxy": .bool(proxy),
        ]
    }
}

/// What became of a task from its creation to its end.
package struct TransferMetrics: WireRecord {
    /// Seconds since 1970.
    package var created: Double
    package var ended: Double
    package var attempts: Int64

    package init(created: Double, ended: Double, attempts: Int64) {
        self.created = created
        self.ended = ended
        self.attempts = attempts
    }

    package init(json: JSONValue) throws(RPCError) {
        created = try json.number("created")
        ended = try json.number("ended")
        attempts = try json.integer("attempts")
    }

    package var json: JSONValue {
        [
            "created": .double(created),
            "ended": .double(ended),
            "attempts": .int(attempts),
        ]
    }
}
