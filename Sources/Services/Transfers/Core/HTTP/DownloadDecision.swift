package import Model

/// What becomes of the response to a download's request.
package enum DownloadDecision: Hashable, Sendable {
    /// The body is the thing from its beginning, or what the server says of an error.
    case whole(Validator?, expected: Int64?, isError: Bool)
    /// The body goes on where the file ends.
    case rest(expected: Int64?)
    /// The file is the whole thing already.
    case alreadyWhole
    /// What is on the disk is of no use any more; the body is not either.
    case fromZero(String)
    case retry(after: Span?, String)
    case challenge(ChallengeSpace)

    /// What was asked for.
    package struct Asked: Hashable, Sendable {
        package var offset: Int64
        package var validator: Validator?
        package var expected: Int64?
        /// Nobody is to be asked who we are, so that the refusal is the result.
        package var acceptsUnauthorized: Bool
        /// Only the head is wanted: the length that it names is that of another answer.
        package var isHead: Bool
        /// The app itself asks for a part: that is the whole thing for it.
        package var isPart: Bool
        /// The server has refused so often that its answer is the result.
        package var acceptsRefusal: Bool

        package init(
            offset: Int64 = 0, validator: Validator? = nil, expected: Int64? = nil, acceptsUnauthorized: Bool = false,
            isHead: Bool = false, isPart: Bool = false, acceptsRefusal: Bool = false
        ) {
            self.offset = offset
            self.validator = validator
            self.expected = expected
            self.acceptsUnauthorized = acceptsUnauthorized
            self.isHead = isHead
            self.isPart = isPart
            self.acceptsRefusal = acceptsRefusal
        }
    }

    package init(
        _ asked: Asked, _ head: ResponseHead, challenge: ChallengeSpace?, now: WallTime, rules: TransferRules
    ) {
        let status = head.response.status
        switch status {
        case 206 where asked.isPart:
            self = .whole(nil, expected: head.isCoded ? nil : head.contentLength, isError: false)
        case 206 where asked.offset == 0 && head.isAll:
            self = .whole(
                head.validator(now: now, rules: rules), expected: head.isCoded ? nil : head.contentLength,
                isError: false)
        case 206: self = Self.partial(asked, head)
        case 204, 205: self = .whole(nil, expected: 0, isError: false)
        case 200..<300 where asked.isHead: self = .whole(nil, expected: 0, isError: false)
        case 200..<300:
            self = .whole(
                head.validator(now: now, rules: rules), expected: head.isCoded ? nil : head.contentLength,
                isError: false)
        case 416 where asked.offset > 0:
            let agrees = asked.validator.map(head.agrees) ?? false
            let isWhole =
                agrees && head.unsatisfiedLength == asked.offset && (asked.expected ?? asked.offset) == asked.offset
            self = isWhole ? .alreadyWhole : .fromZero("the server has no such part of it")
        case 401, 407:
            if let challenge, !asked.acceptsUnauthorized {
                self = .challenge(challenge)
            } else {
                self = .error(head, asked)
            }
        case let status where HTTPStatus.isPassing(status) && !asked.acceptsRefusal:
            self = .retry(
                after: head.retryAfter(now: now, rules: rules), "the server answered \(HTTPStatus.phrase(status))")
        case 300..<600: self = .error(head, asked)
        default: self = .retry(after: nil, "the server answered \(status), which means nothing")
        }
    }

    /// A 304 names the length of what it stands for, and has no body (RFC 9110, section 8.6).
    private static func error(_ head: ResponseHead, _ asked: Asked) -> Self {
        let isEmpty = asked.isHead || head.response.status == 304
        return .whole(nil, expected: isEmpty ? 0 : head.isCoded ? nil : head.contentLength, isError: true)
    }

    private static func partial(_ asked: Asked, _ head: ResponseHead) -> Self {
        guard asked.offset > 0, let validator = asked.validator else {
            return .fromZero("the server answered with a part of it, and was asked for all")
        }
        // All of it is there already: only the end of the answer before this one was lost.
        if head.contentLength == 0, head.field("Content-Range") == nil, head.agrees(with: validator) {
            // Of a length that nobody has said the server has to say that it is of the same thing.
            let isKnown = asked.expected.map { $0 == asked.offset } ?? head.names(validator)
            return isKnown ? .alreadyWhole : .fromZero("the server has nothing of it any more")
        }
        guard let range = head.contentRange, !head.isCoded else {
            return .fromZero("the server does not say which part of it it sent")
        }
        guard range.start == asked.offset else { return .fromZero("the server sent another part of it") }
        guard head.agrees(with: validator) else { return .fromZero("it has changed on the server") }
        if let expected = asked.expected, let total = range.total, expected != total {
            return .fromZero("it has another length on the server now")
        }
        let isToTheEnd = range.total.map { range.end == $0 - 1 } ?? true
        return .rest(expected: range.total ?? asked.expected ?? (isToTheEnd ? range.end + 1 : nil))
    }
}

extension ResponseHead {
    /// Whether a 206 has the thing from its beginning to its end.
    fileprivate var isAll: Bool {
        guard let range = contentRange, let total = range.total else { return false }
        return range.start == 0 && range.end == total - 1
    }
}

/// What statuses mean to a transfer.
package enum HTTPStatus {
    /// It may be better the next time.
    package static func isPassing(_ status: Int32) -> Bool {
        switch status {
        case 408, 429, 500, 502, 503, 504: true
        default: false
        }
    }

    package static func phrase(_ status: Int32) -> String {
        switch status {
        case 401: "401 (unauthorized)"
        case 403: "403 (forbidden)"
        case 404: "404 (not found)"
        case 407: "407 (the proxy wants authentication)"
        case 408: "408 (it waited too long)"
        case 410: "410 (gone)"
        case 429: "429 (too many requests)"
        case 500: "500 (an error of its own)"
        case 502: "502 (bad gateway)"
        case 503: "503 (unavailable)"
        case 504: "504 (gateway timeout)"
        default: "\(status)"
        }
    }
}
