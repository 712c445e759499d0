package import Wire

/// The parameters of `create`. An upload's file is the message's descriptor.
package struct TransferCreate: WireRecord {
    package var session: String
    package var task: Int64
    package var kind: TransferKindName
    package var request: TransferRequestInfo
    package var description: String?
    /// Seconds since 1970.
    package var earliestBegin: Double?
    package var priority: Double
    package var expectsToSend: Int64?
    package var expectsToReceive: Int64?
    package var resumeData: [UInt8]?

    package init(
        session: String, task: Int64, kind: TransferKindName, request: TransferRequestInfo, description: String? = nil,
        earliestBegin: Double? = nil, priority: Double = 0.5, expectsToSend: Int64? = nil,
        expectsToReceive: Int64? = nil, resumeData: [UInt8]? = nil
    ) {
        self.session = session
        self.task = task
        self.kind = kind
        self.request = request
        self.description = description
        self.earliestBegin = earliestBegin
        self.priority = priority
        self.expectsToSend = expectsToSend
        self.expectsToReceive = expectsToReceive
        self.resumeData = resumeData
    }

    package init(json: JSONValue) throws(RPCError) {
        session = try json.string("session")
        task = try json.integer("task")
        kind = try json.word("kind")
        request = try TransferRequestInfo(json: json.object("request"))
        description = try json.optionalString("description")
        earliestBegin = try json.optionalNumber("earliestBegin")
        priority = try json.optionalNumber("priority") ?? 0.5
        expectsToSend = try json.optionalInteger("expectsToSend")
        expectsToReceive = try json.optionalInteger("expectsToReceive")
        resumeData = try json.optionalBytes("resumeData")
    }

    package var json: JSONValue {
        [
            "session": .string(session),
            "task": .int(task),
            "kind": .string(kind.rawValue),
            "request": request.json,
            "description": JSONValue(description),
            "earliestBegin": JSONValue(earliestBegin),
            "priority": .double(priority),
            "expectsToSend": expectsToSend.map(JSONValue.int) ?? .null,
            "expectsToReceive": expectsToReceive.map(JSONValue.int) ?? .null,
            "resumeData": JSONValue(resumeData.map(Base64.text)),
        ]
    }
}

/// A request to be made.
package struct TransferRequestInfo: WireRecord {
    package var url: String
    package var method: String
    package var headers: [WireHeader]
    package var timeout: Double?
    package var allowsCellular: Bool
    package var cachePolicy: Int64
    /// In place of the session's.
    package var serviceType: TransferServiceType?
    /// Of a download.
    package var body: [UInt8]?

    package init(
        url: String, method: String, headers: [WireHeader] = [], timeout: Double? = nil, allowsCellular: Bool = true,
        cachePolicy: Int64 = 0, serviceType: TransferServiceType? = nil, body: [UInt8]? = nil
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.timeout = timeout
        self.allowsCellular = allowsCellular
        self.cachePolicy = cachePolicy
        self.serviceType = serviceType
        self.body = body
    }

    package init(json: JSONValue) throws(RPCError) {
        url = try json.string("url")
        method = try json.string("method")
        headers = try json.headers("headers")
        timeout = try json.optionalNumber("timeout")
        allowsCellular = try json.bool("allowsCellular", default: true)
        cachePolicy = try json.optionalInteger("cachePolicy") ?? 0
        serviceType = try json.optionalWord("serviceType")
        body = try json.optionalBytes("body")
    }

    package var json: JSONValue {
        [
            "url": .string(url),
            "method": .string(method),
            "headers": .headers(headers),
            "timeout": JSONValue(timeout),
            "allowsCellular": .bool(allowsCellular),
            "cachePolicy": .int(cachePolicy),
            "serviceType": JSONValue(serviceType?.rawValue),
            "body": JSONValue(body.map(Base64.text)),
        ]
    }
}

/// The parameters of `resume`, `suspend` and `cancel`.
package struct TransferTaskParameters: WireRecord {
    package var session: String
    package var task: Int64
    package var producesResumeData: Bool

    package init(session: String, task: Int64, producesResumeData: Bool = false) {
        self.session = session
        self.task = task
        self.producesResumeData = producesResumeData
    }

    package init(json: JSONValue) throws(RPCError) {
        session = try json.string("session")
        task = try json.integer("task")
        producesResumeData = try json.bool("producesResumeData", default: false)
    }

    package var json: JSONValue {
        [
            "session": .string(session),
            "task": .int(task),
            "producesResumeData": .bool(producesResumeData),
        ]
    }
}

/// The answer of `cancel`.
package struct TransferCancelled: WireRecord {
    package var resumeData: [UInt8]?

    package init(resumeData: [UInt8]? = nil) {
        self.resumeData = resumeData
    }

    package init(json: JSONValue) throws(RPCError) {
        resumeData = try json.optionalBytes("resumeData")
    }

    package var json: JSONValue {
        [
            "resumeData": JSONValue(resumeData.map(Base64.text))
        ]
    }
}

/// The parameters of `change`; what is absent stays.
package struct TransferChangeParameters: WireRecord {
    package var session: String
    package var task: Int64
    package var description: String?
    package var priority: Double?
    package var earliestBegin: Double?
    package var expectsToSend: Int64?
    package var expectsToReceive: Int64?

    package init(
        session: String, task: Int64, description: String? = nil, priority: Double? = nil, earliestBegin: Double? = nil,
        expectsToSend: Int64? = nil, expectsToReceive: Int64? = nil
    ) {
        self.session = session
        self.task = task
        self.description = description
        self.priority = priority
        self.earliestBegin = earliestBegin
        self.expectsToSend = expectsToSend
        self.expectsToReceive = expectsToReceive
    }

    package init(json: JSONValue) throws(RPCError) {
        session = try json.string("session")
        task = try json.integer("task")
        description = try json.optionalString("description")
        priority = try json.optionalNumber("priority")
        earliestBegin = try json.optionalNumber("earliestBegin")
        expectsToSend = try json.optionalInteger("expectsToSend")
        expectsToReceive = try json.optionalInteger("expectsToReceive")
    }

    package var json: JSONValue {
        [
            "session": .string(session),
            "task": .int(task),
            "description": JSONValue(description),
            "priority": JSONValue(priority),
            "earliestBegin": JSONValue(earliestBegin),
            "expectsToSend": expectsToSend.map(JSONValue.int) ?? .null,
            "expectsToReceive": expectsToReceive.map(JSONValue.int) ?? .null,
        ]
    }
}

/// The parameters of `credential`: the answer to a challenge.
package struct TransferCredentialParameters: WireRecord {
    package var session: String
    package var task: Int64
    package var number: Int64
    package var disposition: TransferDisposition
    package var user: String?
    package var password: String?
    package var persistence: String?

    package init(
        session: String, task: Int64, number: Int64, disposition: TransferDisposition, user: String? = nil,
        password: String? = nil, persistence: String? = nil
    ) {
        self.session = session
        self.task = task
        self.number = number
        self.disposition = disposition
        self.user = user
        self.password = password
        self.persistence = persistence
    }

    package init(json: JSONValue) throws(RPCError) {
        session = try json.string("session")
        task = try json.integer("task")
        number = try json.integer("number")
        disposition = try json.word("disposition")
        user = try json.optionalString("user")
        password = try json.optionalString("password")
        persistence = try json.optionalString("persistence")
    }

    package var json: JSONValue {
        [
            "session": .string(session),
            "task": .int(task),
            "number": .int(number),
            "disposition": .string(disposition.rawValue),
            "user": JSONValue(user),
            "password": JSONValue(password),
            "persistence": JSONValue(persistence),
        ]
    }
}
