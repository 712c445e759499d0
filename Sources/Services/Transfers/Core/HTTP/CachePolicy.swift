/// What a request says of caches, by the numbers of `NSURLRequest.CachePolicy`.
///
/// The service keeps no answers: a file belongs to the app once its delegate has returned. So a policy says what caches
/// on the way to the server are asked for, and whether there is anything to ask at all.
package enum CachePolicy: Int32, Sendable, CaseIterable {
    case useProtocol = 0
    case reloadIgnoringLocal = 1
    case returnElseLoad = 2
    case returnDontLoad = 3
    case reloadIgnoringLocalAndRemote = 4
    case reloadRevalidating = 5

    /// The request's own, or the session's if the request has the default. A number that means nothing, of a record
    /// from before such numbers were refused, is the default too.
    package init(_ request: TransferRequest, _ configuration: TransferConfiguration) {
        let own = CachePolicy(rawValue: request.cachePolicy) ?? .useProtocol
        self = own == .useProtocol ? CachePolicy(rawValue: configuration.cachePolicy) ?? .useProtocol : own
    }

    /// What the task ends with at once: it may only have what is in a cache, and there is none.
    package var refusal: TransferError? { self == .returnDontLoad ? .notCached : nil }

    /// What a request says to the caches on its way beside its own fields. A request or a session that says anything of
    /// caches itself is left alone: two orders would contradict each other.
    package func fields(beside own: [HeaderField]) -> [HeaderField] {
        let isSaid = own.contains {
            $0.name.isEqualIgnoringCase("Cache-Control") || $0.name.isEqualIgnoringCase("Pragma")
        }
        guard !isSaid else { return [] }
        return switch self {
        case .useProtocol, .reloadIgnoringLocal, .returnElseLoad, .returnDontLoad: []
        // Caches that speak HTTP/1.0 know the second one only (RFC 9111, section 5.4).
        case .reloadIgnoringLocalAndRemote:
            [HeaderField("Cache-Control", "no-cache"), HeaderField("Pragma", "no-cache")]
        // They ask the origin whether what they have is still right. A condition of the service's own would be answered
        // by a 304, which has no body, and there is no earlier one to put in its place.
        case .reloadRevalidating: [HeaderField("Cache-Control", "max-age=0")]
        }
    }
}
