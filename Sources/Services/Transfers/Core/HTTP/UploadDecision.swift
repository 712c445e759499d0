package import Model

/// What becomes of the response to an upload's request; resumable uploads are those of the IETF's draft
/// (draft-ietf-httpbis-resumable-upload).
package enum UploadDecision: Hashable, Sendable {
    /// The answer to the upload itself.
    case result(isError: Bool)
    /// All of it is there; the answer to it was lost with the connection.
    case alreadyWhole
    /// The rest is sent from there.
    case append(offset: Int64)
    /// How far has it come?
    case ask(String)
    /// There is nothing to go on with: all of it is sent again.
    case fromZero(String)
    case retry(after: Span?, String)
    case challenge(ChallengeSpace)

    package init(
        _ step: UploadOrder.Step, length: Int64, _ head: ResponseHead, challenge: ChallengeSpace?,
        acceptsUnauthorized: Bool, acceptsRefusal: Bool = false, now: WallTime, rules: TransferRules
    ) {
        let status = head.response.status
        if status == 401 || status == 407, let challenge, !acceptsUnauthorized {
            self = .challenge(challenge)
        } else if HTTPStatus.isPassing(status), acceptsRefusal {
            self = .result(isError: true)
        } else if HTTPStatus.isPassing(status) {
            self = .retry(
                after: head.retryAfter(now: now, rules: rules), "the server answered \(HTTPStatus.phrase(status))")
        } else {
            switch step {
            case .ask: self = Self.asked(length: length, head)
            case .append: self = Self.appended(length: length, head)
            case .whole: self = Self.answered(head, isWhole: true, length: length)
            }
        }
    }

    private static func asked(length: Int64, _ head: ResponseHead) -> Self {
        guard (200..<300).contains(head.response.status) else {
            return .fromZero("the server does not know the upload any more")
        }
        guard let offset = head.uploadOffset, offset <= length else {
            return .fromZero("the server does not say how far the upload has come")
        }
        if head.boolean("Upload-Complete") == true {
            return offset == length ? .alreadyWhole : .fromZero("the server takes a part of it for the whole")
        }
        return .append(offset: offset)
    }

    private static func appended(length: Int64, _ head: ResponseHead) -> Self {
        switch head.response.status {
        case 409: .ask("the server had come to another place")
        case 404, 410: .fromZero("the server does not know the upload any more")
        default: answered(head, isWhole: false, length: length)
        }
    }

    private static func answered(_ head: ResponseHead, isWhole: Bool, length: Int64) -> Self {
        guard (200..<300).contains(head.response.status) else { return .result(isError: true) }
        guard head.boolean("Upload-Complete") == false else { return .result(isError: false) }
        if !isWhole, let offset = head.uploadOffset, offset < length { return .append(offset: offset) }
        return .ask("the server took a part of it")
    }
}
