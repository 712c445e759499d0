package import Wire

/// The parameters of `open`.
package struct TransferOpen: WireRecord {
    package var session: String
    package var configuration: TransferSettings

    package init(session: String, configuration: TransferSettings) {
        self.session = session
        self.configuration = configuration
    }

    package init(json: JSONValue) throws(RPCError) {
        session = try json.string("session")
        configuration = try TransferSettings(json: json.object("configuration"))
    }

    package var json: JSONValue {
        [
            "session": .string(session),
            "configuration": configuration.json,
        ]
    }
}

/// A session's configuration, and what its delegate can be asked.
package struct TransferSettings: WireRecord {
    package var discretionary: Bool
    package var sendsLaunchEvents: Bool
    package var allowsCellular: Bool
    package var allowsExpensive: Bool
    package var allowsConstrained: Bool
    /// Seconds without a byte.
    package var requestTimeout: Double
    /// Seconds for all of it.
    package var resourceTimeout: Double
    package var headers: [WireHeader]
    package var connectionsPerHost: Int64
    package var cookies: TransferCookies
    package var cachePolicy: Int64
    /// Of requests that name none.
    package var serviceType: TransferServiceType?
    package var proxy: TransferProxy?
    package var tlsMinimum: String?
    /// PEM, in place of the machine's own.
    package var trustRoots: [String]
    /// The delegate implements `willBeginDelayedRequest`.
    package var delayedRequests: Bool

    package init(
        discretionary: Bool = false, sendsLaunchEvents: Bool = true, allowsCellular: Bool = true,
        allowsExpensive: Bool = true, allowsConstrained: Bool = true, requestTimeout: Double = 60,
        resourceTimeout: Double = 604_800, headers: [WireHeader] = [], connectionsPerHost: Int64 = 6,
        cookies: TransferCookies = .always, cachePolicy: Int64 = 0,
        serviceType: TransferServiceType? = nil, proxy: TransferProxy? = nil,
        tlsMinimum: String? = nil, trustRoots: [String] = [], delayedRequests: Bool = false
    ) {
        self.discretionary = discretionary
        self.sendsLaunchEvents = sendsLaunchEvents
        self.allowsCellular = allowsCellular
        self.allowsExpensive = allowsExpensive
        self.allowsConstrained = allowsConstrained
        self.requestTimeout = requestTimeout
        self.resourceTimeout = resourceTimeout
        self.headers = headers
        self.connectionsPerHost = connectionsPerHost
        self.cookies = cookies
        self.cachePolicy = cachePolicy
        self.serviceType = serviceType
        self.proxy = proxy
        self.tlsMinimum = tlsMinimum
        self.trustRoots = trustRoots
        self.delayedRequests = delayedRequests
    }

    package init(json: JSONValue) throws(RPCError) {
        discretionary = try json.bool("discretionary", default: false)
        sendsLaunchEvents = try json.bool("sendsLaunchEvents", default: true)
        allowsCellular = try json.bool("allowsCellular", default: true)
        allowsExpensive = try json.bool("allowsExpensive", default: true)
        allowsConstrained = try json.bool("allowsConstrained", default: true)
        requestTimeout = try json.optionalNumber("requestTimeout") ?? 60
        resourceTimeout = try json.optionalNumber("resourceTimeout") ?? 604_800
        headers = try json.headers("headers")
        connectionsPerHost = try json.optionalInteger("connectionsPerHost") ?? 6
        cookies = try json.optionalWord("cookies") ?? .always
        cachePolicy = try json.optionalInteger("cachePolicy") ?? 0
        serviceType = try json.optionalWord("serviceType")
        proxy = try json.optionalRecord("proxy")
        tlsMinimum = try json.optionalString("tlsMinimum")
        trustRoots = try json.strings("trustRoots")
        delayedRequests = try json.bool("delayedRequests", default: false)
    }

    package var json: JSONValue {
        [
            "discretionary": .bool(discretionary),
            "sendsLaunchEvents": .bool(sendsLaunchEvents),
            "allowsCellular": .bool(allowsCellular),
            "allowsExpensive": .bool(allowsExpensive),
            "allowsConstrained": .bool(allowsConstrained),
            "requestTimeout": .double(requestTimeout),
            "resourceTimeout": .double(resourceTimeout),
            "headers": .headers(headers),
            "connectionsPerHost": .int(connectionsPerHost),
            "cookies": .string(cookies.rawValue),
            "cachePolicy": .int(cachePolicy),
            "serviceType": JSONValue(serviceType?.rawValue),
            "proxy": proxy?.json ?? .null,
            "tlsMinimum": JSONValue(tlsMinimum),
            "trustRoots": .array(trustRoots.map(JSONValue.string)),
            "delayedRequests": .bool(delayedRequests),
        ]
    }
}

/// A proxy of a configuration.
package struct TransferProxy: WireRecord {
    package var kind: TransferProxyKind
    package var host: String
    package var port: Int64
    package var user: String?
    package var password: String?

    package init(kind: TransferProxyKind, host: String, port: Int64, user: String? = nil, password: String? = nil) {
        self.kind = kind
        self.host = host
        self.port = port
        self.user = user
        self.password = password
    }

    package init(json: JSONValue) throws(RPCError) {
        kind = try json.word("kind")
        host = try json.string("host")
        port = try json.integer("port")
        user = try json.optionalString("user")
        password = try json.optionalString("password")
    }

    package var json: JSONValue {
        [
            "kind": .string(kind.rawValue),
            "host": .string(host),
            "port": .int(port),
            "user": JSONValue(user),
            "password": JSONValue(password),
        ]
    }
}

/// The answer of `open`.
package struct TransferOpened: WireRecord {
    package var nextTask: Int64
    package var tasks: [TransferTaskInfo]
    /// Those behind the last one are to be asked for, by `tasks`; there is no event before.
    package var more: Bool
    package var isNew: Bool

    package init(nextTask: Int64, tasks: [TransferTaskInfo] = [], more: Bool = false, isNew: Bool) {
        self.nextTask = nextTask
        self.tasks = tasks
        self.more = more
        self.isNew = isNew
    }

    package init(json: JSONValue) throws(RPCError) {
        nextTask = try json.integer("nextTask")
        tasks = try TransferTaskInfo.list(json: .array(json.array("tasks")))
        more = try json.bool("more", default: false)
        isNew = try json.bool("isNew")
    }

    package var json: JSONValue {
        [
            "nextTask": .int(nextTask),
            "tasks": .array(tasks.map(\.json)),
            "more": .bool(more),
            "isNew": .bool(isNew),
        ]
    }
}

/// The parameters of `tasks`.
package struct TransferTasksParameters: WireRecord {
    package var session: String
    /// The last number that is known.
    package var after: Int64

    package init(session: String, after: Int64) {
        self.session = session
        self.after = after
    }

    package init(json: JSONValue) throws(RPCError) {
        session = try json.string("session")
        after = try json.integer("after")
    }

    package var json: JSONValue { ["session": .string(session), "after": .int(after)] }
}

/// The answer of `tasks`.
package struct TransferTaskPage: WireRecord {
    package var tasks: [TransferTaskInfo]
    package var more: Bool

    package init(tasks: [TransferTaskInfo], more: Bool) {
        self.tasks = tasks
        self.more = more
    }

    package init(json: JSONValue) throws(RPCError) {
        tasks = try TransferTaskInfo.list(json: .array(json.array("tasks")))
        more = try json.bool("more", default: false)
    }

    package var json: JSONValue { ["tasks": .array(tasks.map(\.json)), "more": .bool(more)] }
}

/// A task whose completion no delegate has had.
package struct TransferTaskInfo: WireRecord {
    package var task: Int64
    package var kind: TransferKindName
    package var url: String
    package var method: String
    package var headers: [WireHeader]
    package var cachePolicy: Int64
    package var description: String?
    package var state: TransferTaskState
    package var received: Int64
    package var sent: Int64
    package var expectedReceive: Int64?
    package var expectedSend: Int64?
    /// Seconds since 1970.
    package var earliestBegin: Double?
    package var priority: Double
    package var response: TransferResponseInfo?
    package var error: TransferErrorInfo?

    package init(
        task: Int64, kind: TransferKindName, url: String, method: String, headers: [WireHeader] = [],
        cachePolicy: Int64 = 0, description: String? = nil, state: TransferTaskState, received: Int64, sent: Int64,
        expectedReceive: Int64? = nil, expectedSend: Int64? = nil, earliestBegin: Double? = nil, priority: Double,
        response: TransferResponseInfo? = nil, error: TransferErrorInfo? = nil
    ) {
        self.task = task
        self.kind = kind
        self.url = url
        self.method = method
        self.headers = headers
        self.cachePolicy = cachePolicy
        self.description = description
        self.state = state
        self.received = received
        self.sent = sent
        self.expectedReceive = expectedReceive
        self.expectedSend = expectedSend
        self.earliestBegin = earliestBegin
        self.priority = priority
        self.response = response
        self.error = error
    }

    package init(json: JSONValue) throws(RPCError) {
        task = try json.integer("task")
        kind = try json.word("kind")
        url = try json.string("url")
        method = try json.string("method")
        headers = try json.headers("headers")
        cachePolicy = try json.optionalInteger("cachePolicy") ?? 0
        description = try json.optionalString("description")
        state = try json.word("state")
        received = try json.integer("received")
        sent = try json.integer("sent")
        expectedReceive = try json.optionalInteger("expectedReceive")
        expectedSend = try json.optionalInteger("expectedSend")
        earliestBegin = try json.optionalNumber("earliestBegin")
        priority = try json.number("priority")
        response = try json.optionalRecord("response")
        error = try json.optionalRecord("error")
    }

    package var json: JSONValue {
        [
            "task": .int(task),
            "kind": .string(kind.rawValue),
            "url": .string(url),
            "method": .string(method),
            "headers": .headers(headers),
            "cachePolicy": .int(cachePolicy),
            "description": JSONValue(description),
            "state": .string(state.rawValue),
            "received": .int(received),
            "sent": .int(sent),
            "expectedReceive": expectedReceive.map(JSONValue.int) ?? .null,
            "expectedSend": expectedSend.map(JSONValue.int) ?? .null,
            "earliestBegin": JSONValue(earliestBegin),
            "priority": .double(priority),
            "response": response?.json ?? .null,
            "error": error?.json ?? .null,
        ]
    }
}

/// The parameters of `invalidate`.
package struct TransferInvalidate: WireRecord {
    package var session: String
    package var cancels: Bool

    package init(session: String, cancels: Bool) {
        self.session = session
        self.cancels = cancels
    }

    package init(json: JSONValue) throws(RPCError) {
        session = try json.string("session")
        cancels = try json.bool("cancels")
    }

    package var json: JSONValue {
        [
            "session": .string(session),
            "cancels": .bool(cancels),
        ]
    }
}
