package import Wire

/// The parameters of `add`. An upload's file, or the folder of a download, is the message's descriptor.
package struct TransferAdd: WireRecord {
    package var url: String
    /// Absolute: what the download will be called.
    package var path: String?
    package var discretionary: Bool
    /// From 0 to 1.
    package var priority: Double
    package var headers: [WireHeader]
    /// `sha-256:` and 64 digits.
    package var checksum: String?
    package var upload: Bool
    package var method: String?

    package init(
        url: String, path: String? = nil, discretionary: Bool = false, priority: Double = 0.5,
        headers: [WireHeader] = [], checksum: String? = nil, upload: Bool = false, method: String? = nil
    ) {
        self.url = url
        self.path = path
        self.discretionary = discretionary
        self.priority = priority
        self.headers = headers
        self.checksum = checksum
        self.upload = upload
        self.method = method
    }

    package init(json: JSONValue) throws(RPCError) {
        url = try json.string("url")
        path = try json.optionalString("path")
        discretionary = try json.bool("discretionary", default: false)
        priority = try json.optionalNumber("priority") ?? 0.5
        headers = try json.headers("headers")
        checksum = try json.optionalString("checksum")
        upload = try json.bool("upload", default: false)
        method = try json.optionalString("method")
    }

    package var json: JSONValue {
        [
            "url": .string(url),
            "path": JSONValue(path),
            "discretionary": .bool(discretionary),
            "priority": .double(priority),
            "headers": .headers(headers),
            "checksum": JSONValue(checksum),
            "upload": .bool(upload),
            "method": JSONValue(method),
        ]
    }
}

/// The parameters of `pause`, `resume`, `cancel`, `why` and `wait`, and the answer of `add`.
package struct TransferName: WireRecord {
    package var id: String

    package init(id: String) {
        self.id = id
    }

    package init(json: JSONValue) throws(RPCError) {
        id = try json.string("id")
    }

    package var json: JSONValue {
        [
            "id": .string(id)
        ]
    }
}

/// A transfer, as `list` and the notification `progress` of a tool have it.
package struct TransferInfo: WireRecord {
    package var id: String
    /// `nil`: the tool's own.
    package var app: String?
    package var session: String
    package var task: Int64
    package var kind: TransferKindName
    package var url: String
    package var state: TransferStateName
    package var received: Int64
    package var sent: Int64
    package var expected: Int64?
    /// Bytes a second.
    package var rate: Double
    package var waitingFor: String?
    /// Seconds since 1970.
    package var next: Double?
    package var attempts: Int64
    package var error: String?
    package var created: Double

    package init(
        id: String, app: String? = nil, session: String, task: Int64, kind: TransferKindName, url: String,
        state: TransferStateName, received: Int64, sent: Int64, expected: Int64? = nil, rate: Double,
        waitingFor: String? = nil, next: Double? = nil, attempts: Int64, error: String? = nil, created: Double
    ) {
        self.id = id
        self.app = app
        self.session = session
        self.task = task
        self.kind = kind
        self.url = url
        self.state = state
        self.received = received
        self.sent = sent
        self.expected = expected
        self.rate = rate
        self.waitingFor = waitingFor
        self.next = next
        self.attempts = attempts
        self.error = error
        self.created = created
    }

    package init(json: JSONValue) throws(RPCError) {
        id = try json.string("id")
        app = try json.optionalString("app")
        session = try json.string("session")
        task = try json.integer("task")
        kind = try json.word("kind")
        url = try json.string("url")
        state = try json.word("state")
        received = try json.integer("received")
        sent = try json.integer("sent")
        expected = try json.optionalInteger("expected")
        rate = try json.number("rate")
        waitingFor = try json.optionalString("waitingFor")
        next = try json.optionalNumber("next")
        attempts = try json.integer("attempts")
        error = try json.optionalString("error")
        created = try json.number("created")
    }

    package var json: JSONValue {
        [
            "id": .string(id),
            "app": JSONValue(app),
            "session": .string(session),
            "task": .int(task),
            "kind": .string(kind.rawValue),
            "url": .string(url),
            "state": .string(state.rawValue),
            "received": .int(received),
            "sent": .int(sent),
            "expected": expected.map(JSONValue.int) ?? .null,
            "rate": .double(rate),
            "waitingFor": JSONValue(waitingFor),
            "next": JSONValue(next),
            "attempts": .int(attempts),
            "error": JSONValue(error),
            "created": .double(created),
        ]
    }
}

/// The answer of `list`.
package struct TransferList: WireRecord {
    package var transfers: [TransferInfo]
    /// There are others, after the last one.
    package var more: Bool

    package init(transfers: [TransferInfo] = [], more: Bool = false) {
        self.transfers = transfers
        self.more = more
    }

    package init(json: JSONValue) throws(RPCError) {
        transfers = try TransferInfo.list(json: .array(json.array("transfers")))
        more = try json.bool("more", default: false)
    }

    package var json: JSONValue {
        [
            "transfers": .array(transfers.map(\.json)),
            "more": .bool(more),
        ]
    }
}

/// The parameters of `list`.
package struct TransferListParameters: WireRecord {
    /// The id of the last one that is known.
    package var after: String?

    package init(after: String? = nil) { self.after = after }

    package init(json: JSONValue) throws(RPCError) { after = try json.optionalString("after") }

    package var json: JSONValue { ["after": JSONValue(after)] }
}

/// The answer of `why`.
package struct TransferExplanation: WireRecord {
    package var sentence: String
    package var condition: String?
    package var next: Double?

    package init(sentence: String, condition: String? = nil, next: Double? = nil) {
        self.sentence = sentence
        self.condition = condition
        self.next = next
    }

    package init(json: JSONValue) throws(RPCError) {
        sentence = try json.string("sentence")
        condition = try json.optionalString("condition")
        next = try json.optionalNumber("next")
    }

    package var json: JSONValue {
        [
            "sentence": .string(sentence),
            "condition": JSONValue(condition),
            "next": JSONValue(next),
        ]
    }
}

/// The answer of `wait`.
package struct TransferEnd: WireRecord {
    package var state: TransferStateName
    package var error: String?

    package init(state: TransferStateName, error: String? = nil) {
        self.state = state
        self.error = error
    }

    package init(json: JSONValue) throws(RPCError) {
        state = try json.word("state")
        error = try json.optionalString("error")
    }

    package var json: JSONValue {
        [
            "state": .string(state.rawValue),
            "error": JSONValue(error),
        ]
    }
}
