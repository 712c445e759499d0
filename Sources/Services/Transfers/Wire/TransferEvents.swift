package import Wire

/// The parameters of the request `event`: one thing that a delegate is to be told.
package struct TransferEventInfo: WireRecord {
    package enum Kind: Hashable, Sendable {
        case resumedAt(offset: Int64, expected: Int64?)
        case finished(path: String, response: TransferResponseInfo?)
        case completed(TransferCompletion)
        case challenge(number: Int64, space: TransferChallengeSpace, previousFailures: Int64)
        case delayedRequest(TransferRequestInfo)
        case finishedEvents
        case invalidated

        /// The word of `kind`.
        package var name: String {
            switch self {
            case .resumedAt: "resumedAt"
            case .finished: "finished"
            case .completed: "completed"
            case .challenge: "challenge"
            case .delayedRequest: "delayedRequest"
            case .finishedEvents: "finishedEvents"
            case .invalidated: "invalidated"
            }
        }
    }

    package var session: String
    package var number: Int64
    /// `nil` for what concerns the whole session.
    package var task: Int64?
    package var kind: Kind

    package init(session: String, number: Int64, task: Int64? = nil, kind: Kind) {
        self.session = session
        self.number = number
        self.task = task
        self.kind = kind
    }

    package init(json: JSONValue) throws(RPCError) {
        session = try json.string("session")
        number = try json.integer("number")
        task = try json.optionalInteger("task")
        switch try json.string("kind") {
        case "resumedAt":
            kind = .resumedAt(offset: try json.integer("offset"), expected: try json.optionalInteger("expected"))
        case "finished":
            kind = .finished(path: try json.string("path"), response: try json.optionalRecord("response"))
        case "completed": kind = .completed(try TransferCompletion(json: json))
        case "challenge":
            kind = .challenge(
                number: try json.integer("challenge"), space: try TransferChallengeSpace(json: json.object("space")),
                previousFailures: try json.integer("previousFailures"))
        case "delayedRequest": kind = .delayedRequest(try TransferRequestInfo(json: json.object("request")))
        case "finishedEvents": kind = .finishedEvents
        case "invalidated": kind = .invalidated
        case let other: throw .invalidParameter("kind", "there is no event of the kind \(other.prefix(100))")
        }
    }

    package var json: JSONValue {
        var object: JSONObject = [
            "session": .string(session), "number": .int(number), "kind": .string(kind.name),
        ]
        if let task { object["task"] = .int(task) }
        switch kind {
        case .resumedAt(let offset, let expected):
            object["offset"] = .int(offset)
            object["expected"] = expected.map(JSONValue.int) ?? .null
        case .finished(let path, let response):
            object["path"] = .string(path)
            object["response"] = response?.json ?? .null
        case .completed(let completion):
            for member in completion.json.object?.members ?? [] { object[member.key] = member.value }
        case .challenge(let number, let space, let previousFailures):
            object["challenge"] = .int(number)
            object["space"] = space.json
            object["previousFailures"] = .int(previousFailures)
        case .delayedRequest(let request): object["request"] = request.json
        case .invalidated: object["error"] = .null
        case .finishedEvents: break
        }
        return .object(object)
    }
}

/// The answer to the event `delayedRequest`; without a disposition the request begins as it is.
package struct TransferDelayedAnswer: WireRecord {
    package var disposition: TransferDelayedDisposition
    /// With `useNewRequest`.
    package var request: TransferRequestInfo?

    package init(disposition: TransferDelayedDisposition, request: TransferRequestInfo? = nil) {
        self.disposition = disposition
        self.request = request
    }

    package init(json: JSONValue) throws(RPCError) {
        disposition = try json.optionalWord("disposition") ?? .continueLoading
        request = try json.optionalRecord("request")
    }

    package var json: JSONValue {
        ["disposition": .string(disposition.rawValue), "request": request?.json ?? .null]
    }
}

/// The rest of the event `completed`.
package struct TransferCompletion: WireRecord {
    /// `nil`: the server's answer is the result, whatever its status.
    package var error: TransferErrorInfo?
    package var response: TransferResponseInfo?
    package var received: Int64
    package var sent: Int64
    package var metrics: TransferMetrics?

    package init(
        error: TransferErrorInfo?, response: TransferResponseInfo?, received: Int64, sent: Int64,
        metrics: TransferMetrics? = nil
    ) {
        self.error = error
        self.response = response
        self.received = received
        self.sent = sent
        self.metrics = metrics
    }

    package init(json: JSONValue) throws(RPCError) {
        error = try json.optionalRecord("error")
        response = try json.optionalRecord("response")
        received = try json.integer("received")
        sent = try json.integer("sent")
        metrics = try json.optionalRecord("metrics")
    }

    package var json: JSONValue {
        [
            "error": error?.json ?? .null, "response": response?.json ?? .null, "received": .int(received),
            "sent": .int(sent), "metrics": metrics?.json ?? .null,
        ]
    }
}
