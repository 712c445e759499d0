internal import FoundationEssentials
package import Model
internal import Wire

/// A stream, as it should be.
package struct NATSStream: Sendable {
    package var name: String
    package var subjects: String
    package var replicas: Int
    /// Stored messages are sent on under other subjects: from and to.
    package var republishes: (from: String, to: String)?

    package init(name: String, subjects: String, replicas: Int, republishes: (from: String, to: String)? = nil) {
        self.name = name
        self.subjects = subjects
        self.replicas = replicas
        self.republishes = republishes
    }

    /// How long a message is known by its identifier, in nanoseconds. It has to be longer than a publish is retried.
    private static let duplicates: Int64 = 30_000_000_000

    /// The newest message of a subject is kept, on the disk.
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "name": .string(name), "subjects": [.string(subjects)], "num_replicas": .int(Int64(replicas)),
            "retention": "limits", "storage": "file", "discard": "old", "max_msgs_per_subject": 1, "max_msgs": -1,
            "max_bytes": -1, "max_age": 0, "max_consumers": -1, "allow_direct": true, "deny_delete": false,
            "duplicate_window": .int(Self.duplicates),
        ]
        if let republishes {
            object["republish"] = ["src": .string(republishes.from), "dest": .string(republishes.to)]
        }
        return .object(object)
    }
}

package struct NATSStreamState: Hashable, Sendable {
    package var replicas: Int
    /// The servers are several.
    package var isClustered: Bool
    package var bytes: Int
    package var firstSequence: UInt64
    package var lastSequence: UInt64
}

/// What became of a message that was to be stored.
package enum NATSStoring: Hashable, Sendable {
    case done(sequence: UInt64)
    /// The subject's newest message is another one than was said, or one with this identifier is there already.
    case conflict
    case failed(NATSError)
}

/// JetStream, in the requests that it consists of.
extension NATSClient {
    /// Stores a message, if the newest one of its subject is that of this sequence; zero: if there is none. A quorum
    /// has it when this is answered.
    ///
    /// - Parameter identifier: another message that has the same one is a conflict. In a cluster of NATS 2.9 the
    ///   sequence is compared when a message arrives, and not in the order in which messages are stored; so of two that
    ///   arrive within a millisecond, both may pass. Identifiers are compared in that order.
    package func store(
        _ payload: [UInt8], on subject: String, after sequence: UInt64, identifier: String,
        within timeout: Span, _ answer: @escaping @Sendable (NATSStoring) -> Void
    ) {
        let headers = [
            (name: "Nats-Expected-Last-Subject-Sequence", value: "\(sequence)"),
            (name: "Nats-Msg-Id", value: identifier),
        ]
        request(payload, to: subject, headers: headers, within: timeout) { result in
            answer(Self.storing(result))
        }
    }

    private static let wrongSequence = 10_071
    private static let noMessage = 10_037

    private static func storing(_ result: Result<NATSMessage, NATSError>) -> NATSStoring {
        do throws(NATSError) {
            let json = try answer(try result.get())
            guard let sequence = json["seq"]?.int else { return .failed(.unreadable) }
            return json["duplicate"]?.bool == true ? .conflict : .done(sequence: UInt64(sequence))
        } catch {
            if case .refused(wrongSequence, _) = error { return .conflict }
            return .failed(error)
        }
    }

    /// The newest message of a subject; `nil`: there is none.
    /// - Parameter fromLeader: a replica may not have it yet.
    package func newest(
        of subject: String, in stream: String, fromLeader: Bool, within timeout: Span,
        _ answer: @escaping @Sendable (Result<NATSMessage?, NATSError>) -> Void
    ) {
        read(["last_by_subj": .string(subject)], stream, fromLeader, timeout, answer)
    }

    /// The first message of a stream that has this sequence or a later one; `nil`: there is none.
    package func next(
        from sequence: UInt64, in stream: String, within timeout: Span
    ) async throws(NATSError) -> NATSMessage? {
        let query: JSONObject = ["seq": .int(Int64(sequence)), "next_by_subj": ">"]
        return try await withCheckedContinuation { continuation in
            read(query, stream, true, timeout) { continuation.resume(returning: $0) }
        }.get()
    }

    private func read(
        _ query: JSONObject, _ stream: String, _ fromLeader: Bool, _ timeout: Span,
        _ answer: @escaping @Sendable (Result<NATSMessage?, NATSError>) -> Void
    ) {
        let subject = fromLeader ? "$JS.API.STREAM.MSG.GET." : "$JS.API.DIRECT.GET."
        request(JSONValue.object(query).encoded, to: subject + stream, within: timeout) { result in
            answer(fromLeader ? Self.leaderMessage(result) : Self.replicaMessage(result))
        }
    }

    private static func replicaMessage(
        _ result: Result<NATSMessage, NATSError>
    ) -> Result<NATSMessage?, NATSError> {
        switch result {
        case .failure(let error): .failure(error)
        case .success(let message) where message.status == 404: .success(nil)
        case .success(let message) where message.sequence == nil: .failure(.unreadable)
        case .success(let message): .success(message)
        }
    }

    private static func leaderMessage(_ result: Result<NATSMessage, NATSError>) -> Result<NATSMessage?, NATSError> {
        do throws(NATSError) {
            let json = try answer(try result.get())
            guard let message = json["message"], let sequence = message["seq"]?.int,
                let subject = message["subject"]?.string,
                let payload = Data(base64Encoded: message["data"]?.string ?? "")
            else { return .failure(.unreadable) }
            return .success(NATSMessage(subject: subject, sequence: UInt64(sequence), payload: Array(payload)))
        } catch {
            if case .refused(noMessage, _) = error { return .success(nil) }
            return .failure(error)
        }
    }

    // MARK: Streams

    /// - Returns: `nil` if there is none.
    package func state(
        of stream: String, within timeout: Span
    ) async throws(NATSError) -> NATSStreamState? {
        do throws(NATSError) {
            return try await manage("INFO", stream, [], timeout)
        } catch {
            if case .refused(10_059, _) = error { return nil }
            throw error
        }
    }

    package func make(
        _ stream: NATSStream, within timeout: Span
    ) async throws(NATSError) -> NATSStreamState {
        try await manage("CREATE", stream.name, stream.json.encoded, timeout)
    }

    package func update(
        _ stream: NATSStream, within timeout: Span
    ) async throws(NATSError) -> NATSStreamState {
        try await manage("UPDATE", stream.name, stream.json.encoded, timeout)
    }

    private func manage(
        _ verb: String, _ stream: String, _ payload: [UInt8], _ timeout: Span
    ) async throws(NATSError) -> NATSStreamState {
        let json = try Self.answer(
            try await request(payload, to: "$JS.API.STREAM.\(verb).\(stream)", within: timeout))
        guard let state = json["state"], let replicas = json["config"]?["num_replicas"]?.int,
            let bytes = state["bytes"]?.int, let first = state["first_seq"]?.int, let last = state["last_seq"]?.int
        else { throw .unreadable }
        return NATSStreamState(
            replicas: replicas, isClustered: json["cluster"] != nil, bytes: bytes, firstSequence: UInt64(first),
            lastSequence: UInt64(last))
    }

    private static func answer(_ message: NATSMessage) throws(NATSError) -> JSONValue {
        guard let json = try? JSONValue(parsing: message.payload, limits: .answer) else { throw .unreadable }
        guard let error = json["error"] else { return json }
        throw .refused(code: error["err_code"]?.int ?? 0, error["description"]?.string ?? "no reason given")
    }
}
