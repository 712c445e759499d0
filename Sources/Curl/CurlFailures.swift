internal import CCurl
internal import Glibc

extension CurlTransfer {
    /// Translates a result of libcurl.
    func failure(_ code: CURLcode) -> CurlFailure {
        switch code {
        case CURLE_URL_MALFORMAT: return .unsupportedURL
        case CURLE_COULDNT_RESOLVE_HOST: return .hostNotFound
        case CURLE_COULDNT_RESOLVE_PROXY: return .proxyNotFound
        case CURLE_COULDNT_CONNECT: return .notConnected(errno: CInt(number(CURLINFO_OS_ERRNO)))
        case CURLE_PROXY: return .proxyRefused(status: 0)
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        case CURLE_SEND_FAIL_REWIND: return .cannotSendAgain
        case CURLE_BAD_CONTENT_ENCODING: return .undecodable
        case CURLE_HTTP2_STREAM, CURLE_HTTP2: return .streamRefused
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: return .badAnswer
        // More than the library keeps: of a head, or of what a coded body becomes.
        case CURLE_OUT_OF_MEMORY: return isCoded ? .undecodable : .badAnswer
        case CURLE_SSL_CONNECT_ERROR: return .notSecure
        case CURLE_PEER_FAILED_VERIFICATION: return certificateFailure
        // The certificates that are to be trusted in place of the system's are none.
        case CURLE_SSL_CACERT_BADFILE: return .certificateUntrusted
        case CURLE_SSL_CLIENTCERT: return .certificateRejected
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE:
            let status = number(CURLINFO_HTTP_CONNECTCODE)
            return status >= 300 ? .proxyRefused(status: status) : .connectionLost
        default: return unsafe .other(String(cString: curl_easy_strerror(code)))
        }
    }

    private var isCoded: Bool { head?.first("content-encoding") != nil }

    private func number(_ info: CURLINFO) -> Int { unsafe gr_curl_number(easy, info) }

    /// OpenSSL's reasons (`X509_V_ERR_…`).
    private var certificateFailure: CurlFailure {
        switch number(CURLINFO_SSL_VERIFYRESULT) {
        case 9: .certificateNotYetValid
        case 10: .certificateExpired
        default: .certificateUntrusted
        }
    }
}
