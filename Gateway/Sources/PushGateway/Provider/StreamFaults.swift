internal import NIOHTTP2

extension Error {
    /// What a client did wrong with one request, whose stream has been reset: no reason to end the others.
    ///
    /// The handler passes these on as they are, and those of the whole connection too; it does not say which is which.
    var isOfOneStream: Bool {
        switch self {
        case is NIOHTTP2Errors.StreamError, is NIOHTTP2Errors.InvalidPseudoHeaders,
            is NIOHTTP2Errors.MissingPseudoHeader, is NIOHTTP2Errors.DuplicatePseudoHeader,
            is NIOHTTP2Errors.PseudoHeaderAfterRegularHeader, is NIOHTTP2Errors.UnknownPseudoHeader,
            is NIOHTTP2Errors.InvalidPseudoHeaderValue, is NIOHTTP2Errors.EmptyPathHeader,
            is NIOHTTP2Errors.InvalidHTTP2HeaderFieldName, is NIOHTTP2Errors.InvalidHTTP2HeaderFieldValue,
            is NIOHTTP2Errors.ForbiddenHeaderField, is NIOHTTP2Errors.ContentLengthViolated,
            is NIOHTTP2Errors.ContentLengthHeadersMismatch, is NIOHTTP2Errors.ContentLengthHeaderNegative,
            is NIOHTTP2Errors.ContentLengthHeaderMalformedValue, is NIOHTTP2Errors.TrailersWithoutEndStream:
            true
        default: false
        }
    }
}
