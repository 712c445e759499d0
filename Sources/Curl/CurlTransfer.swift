internal import CCurl
internal import LinuxSystem

/// What becomes of bytes that came.
package enum CurlFlow: Sendable {
    case taken
    /// They are offered again after `resume`.
    case wait
    /// Nothing more is wanted.
    case abort
}

/// What there is to send.
package enum CurlSupply: Sendable {
    /// So many bytes were put where they are sent from; more than none.
    case bytes(Int)
    /// There will be more after `resume`.
    case wait
    case abort
}

/// Hears what becomes of a transfer, on the thread of its set.
package protocol CurlTransferDelegate: AnyObject {
    /// An answer between (1xx).
    func transfer(received interim: CurlHead)
    /// The answer's head. Afterwards comes its body, if there is one.
    func transfer(answered head: CurlHead) -> CurlFlow
    func transfer(received bytes: UnsafeRawBufferPointer) -> CurlFlow
    /// The body goes on; `offset` counts from its beginning.
    func transferSupplies(into space: UnsafeMutableRawBufferPointer) -> CurlSupply
    /// The last word.
    func transferEnded(_ failure: CurlFailure?)
}

/// One request on its way: an “easy handle” of libcurl.
///
/// Used on the thread of its set only.
@safe package final class CurlTransfer {
    private(set) var easy: UnsafeMutableRawPointer
    private let delegate: any CurlTransferDelegate
    let sends: Bool
    /// The body that is still to be supplied.
    private var left: Int64
    private var supplied: Int64 = 0
    private(set) var isPaused = false
    private var hasHead = false
    private var hasBadStatus = false
    /// Of the answer's body.
    private var received = 0
    /// The answer's body is not wanted yet.
    private var bodyWaits = false
    /// It has paused to read what the server says.
    var looksForAnswer = false
    /// It has, and what it read was no head: the connection's end is found out by sending.
    private var hasLooked = false
    /// The descriptor of its connection; -1: it has had none.
    var socket: CInt = -1
    private let request: CurlRequest
    /// What the server had said when the connection ended while the body was sent.
    private var farewell: [UInt8] = []
    private(set) var replay: Replay?
    /// Lists of the library that must outlive the request.
    private var list: UnsafeMutablePointer<curl_slist>?

    /// `nil`: the library does not take such a request.
    package init?(_ request: CurlRequest, delegate: any CurlTransferDelegate) {
        guard Self.isReady, let easy = unsafe curl_easy_init() else { return nil }
        unsafe self.easy = unsafe easy
        self.request = request
        self.delegate = delegate
        if case .bytes(let count) = request.body { (sends, left) = (true, count) } else { (sends, left) = (false, 0) }
        guard set(request) else { return nil }
        setCallbacks()
    }

    private func setCallbacks() {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe gr_curl_set_callbacks(
            easy,
            { line, size, count, context in unsafe CurlTransfer.of(context).header(line, size * count) },
            { bytes, size, count, context in unsafe CurlTransfer.of(context).body(bytes, size * count) },
            { space, size, count, context in unsafe CurlTransfer.of(context).supply(space, size * count) },
            { context, offset, origin in unsafe CurlTransfer.of(context).seek(Int64(offset), origin) }, context)
    }

    deinit {
        // The handle goes before what it points to.
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(list)
    }

    /// The library's state of the process.
    private static let isReady = gr_curl_begin() == CURLE_OK

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
        // libcurl calls with the pointer that it was given.
        guard let context = unsafe context else { preconditionFailure("there is no transfer") }
        return unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    }

    static func owning(_ easy: UnsafeMutableRawPointer) -> CurlTransfer { unsafe of(gr_curl_context(easy)) }

    /// Names its handle.
    var key: UInt { unsafe UInt(bitPattern: easy) }

    // MARK: An early answer

    /// The connection is being closed. A server that answers before it has read everything ends the connection with its
    /// answer on the way, and the library finds out by sending, and does not read any more.
    func rescue(_ socket: CInt) {
        guard socket == self.socket, sends, !hasHead, supplied > 0, request.url.lowercased().hasPrefix("http://") else {
            return
        }
        farewell = SocketState.rest(of: socket)
    }

    /// Whether there is an answer that was not read. It is then what this transfer reads: the set begins it again.
    func beginReplay() -> Bool {
        guard !farewell.isEmpty, let made = Replay(farewell), let another = unsafe curl_easy_init() else {
            return false
        }
        farewell = []
        unsafe curl_easy_cleanup(easy)
        unsafe easy = another
        (left, isPaused, looksForAnswer) = (0, false, false)
        replay = made
        var plain = request
        (plain.method, plain.body, plain.proxy) = ("GET", .none, nil)
        guard set(plain) else { return false }
        setCallbacks()
        unsafe gr_curl_set_local(easy, made.name)
        return true
    }

    // MARK: The request

    private func set(_ request: CurlRequest) -> Bool {
        var isTaken = unsafe gr_curl_set_text(easy, CURLOPT_URL, request.url) == CURLE_OK
        isTaken = unsafe gr_curl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK && isTaken
        // What the address says is asked for as it stands.
        unsafe gr_curl_set(easy, CURLOPT_PATH_AS_IS, 1)
        unsafe gr_curl_set(easy, CURLOPT_NOSIGNAL, 1)
        unsafe gr_curl_set(easy, CURLOPT_FOLLOWLOCATION, 0)
        unsafe gr_curl_set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        unsafe gr_curl_set(easy, CURLOPT_TCP_KEEPALIVE, 1)
        unsafe gr_curl_set(easy, CURLOPT_CONNECTTIMEOUT_MS, Int(request.connectTimeout * 1000))
        unsafe gr_curl_set(easy, CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
        // To wait for a connection that carries several requests is faster than to make more.
        unsafe gr_curl_set(easy, CURLOPT_PIPEWAIT, 1)
        if request.decodes { isTaken = unsafe gr_curl_set_text(easy, CURLOPT_ACCEPT_ENCODING, "identity") == CURLE_OK }
        setMethod(request)
        setTLS(request)
        setProxy(request.proxy)
        return setFields(request) && isTaken
    }

    private func setMethod(_ request: CurlRequest) {
        switch request.body {
        case .bytes(let count):
            unsafe gr_curl_set(easy, CURLOPT_UPLOAD, 1)
            unsafe gr_curl_set_size(easy, CURLOPT_INFILESIZE_LARGE, Int(count))
            unsafe gr_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method)
            // A connection that has died in the meantime is found out when a part has been sent, which cannot be sent
            // again.
            unsafe gr_curl_set(easy, CURLOPT_FRESH_CONNECT, 1)
        case .none where request.method == "HEAD": unsafe gr_curl_set(easy, CURLOPT_NOBODY, 1)
        case .none where ["POST", "PUT", "PATCH"].contains(request.method):
            // A body of no bytes, whose length is said.
            unsafe gr_curl_set(easy, CURLOPT_POST, 1)
            unsafe gr_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, 0)
            unsafe gr_curl_set_text(easy, CURLOPT_COPYPOSTFIELDS, "")
            unsafe gr_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method)
        case .none:
            unsafe gr_curl_set(easy, CURLOPT_HTTPGET, 1)
            if request.method != "GET" { unsafe gr_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method) }
        }
    }

    private func setTLS(_ request: CurlRequest) {
        let version =
            switch request.oldestTLS {
            case .tls1: CURL_SSLVERSION_TLSv1_0
            case .tls11: CURL_SSLVERSION_TLSv1_1
            case .tls12: CURL_SSLVERSION_TLSv1_2
            case .tls13: CURL_SSLVERSION_TLSv1_3
            }
        unsafe gr_curl_set(easy, CURLOPT_SSLVERSION, Int(version))
        guard !request.roots.isEmpty else { return }
        let roots = Array(request.roots.utf8)
        unsafe gr_curl_set_blob(easy, CURLOPT_CAINFO_BLOB, roots, roots.count)
        unsafe gr_curl_set_text(easy, CURLOPT_CAPATH, nil)
        unsafe gr_curl_set_text(easy, CURLOPT_CAINFO, nil)
    }

    private func setProxy(_ proxy: CurlRequest.Proxy?) {
        // Of the environment, which would be the service's and not the app's, nothing counts.
        unsafe gr_curl_set_text(easy, CURLOPT_NOPROXY, "")
        guard let proxy else {
            unsafe gr_curl_set_text(easy, CURLOPT_PROXY, "")
            return
        }
        let host = proxy.host.contains(":") && !proxy.host.hasPrefix("[") ? "[\(proxy.host)]" : proxy.host
        unsafe gr_curl_set_text(easy, CURLOPT_PROXY, host)
        unsafe gr_curl_set(easy, CURLOPT_PROXYPORT, proxy.port)
        let kind = proxy.kind == .http ? CURLPROXY_HTTP : CURLPROXY_SOCKS5_HOSTNAME
        unsafe gr_curl_set(easy, CURLOPT_PROXYTYPE, Int(kind.rawValue))
        if let user = proxy.user {
            unsafe gr_curl_set_text(easy, CURLOPT_PROXYUSERNAME, user)
            unsafe gr_curl_set_text(easy, CURLOPT_PROXYPASSWORD, proxy.password ?? "")
        }
    }

    private func setFields(_ request: CurlRequest) -> Bool {
        // How long the body is, says the library.
        let given = request.fields.filter { !["content-length", "transfer-encoding"].contains($0.name.lowercased()) }
        for field in given {
            // An empty value is written in a way of its own.
            let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
            // What ends a line would begin another field, or another request.
            guard line.utf8.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else { return false }
            append(line)
        }
        let names = Set(given.map { $0.name.lowercased() })
        // What the library would add by itself.
        for name in ["Expect", "Content-Type"] where !names.contains(name.lowercased()) { append("\(name):") }
        return unsafe gr_curl_set_list(easy, CURLOPT_HTTPHEADER, list) == CURLE_OK
    }

    private func append(_ line: String) {
        if let longer = unsafe curl_slist_append(list, line) { unsafe list = longer }
    }

    // MARK: What the library calls

    private func header(_ line: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        // For the library a line that begins with its end ends a head, whatever follows. Trailers come afterwards.
        let isEnd = unsafe count == 0 || line.map { unsafe $0[0] == 0x0D || $0[0] == 0x0A } ?? true
        guard isEnd, !hasHead else { return count }
        let status = unsafe gr_curl_number(easy, CURLINFO_RESPONSE_CODE)
        // The library takes any number for a status.
        guard (100...999).contains(status) else {
            hasBadStatus = true
            return -1
        }
        let isInterim = (100..<200).contains(status) && status != 101
        let head = CurlHead(
            status: status, version: version, fields: fields(isInterim ? gr_curl_interim_fields : gr_curl_fields))
        if isInterim {
            delegate.transfer(received: head)
            return count
        }
        hasHead = true
        if case .abort = delegate.transfer(answered: head) { return -1 }
        return count
    }

    private var version: String {
        switch unsafe gr_curl_number(easy, CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_1_0): "1.0"
        case Int(CURL_HTTP_VERSION_2_0): "2.0"
        case Int(CURL_HTTP_VERSION_3): "3"
        default: "1.1"
        }
    }

    private func fields(_ origin: CUnsignedInt) -> [CurlField] {
        var fields: [CurlField] = []
        var last: UnsafeMutablePointer<curl_header>?
        while let next = unsafe curl_easy_nextheader(easy, origin, -1, last) {
            let field = unsafe CurlField(
                received: String(cString: next.pointee.name), String(cString: next.pointee.value))
            if let field { fields.append(field) }
            unsafe last = next
        }
        return fields
    }

    private func body(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        let flow = unsafe delegate.transfer(received: UnsafeRawBufferPointer(start: bytes, count: count))
        switch flow {
        case .taken:
            received += count
            return count
        case .wait:
            (isPaused, bodyWaits) = (true, true)
            return gr_curl_write_pause
        // Any other number than that of the bytes.
        case .abort: return count == 0 ? 1 : 0
        }
    }

    private func supply(_ space: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard left > 0 else { return 0 }
        // Nobody has read the answer yet, after which there may be nothing more to send.
        guard !bodyWaits else { return pause() }
        // A server that has answered may end the connection: its answer is read before more is sent.
        if supplied > 0, !hasHead, !hasLooked, socket >= 0, SocketState.isReadable(socket) {
            (looksForAnswer, hasLooked) = (true, true)
            return pause()
        }
        hasLooked = false
        let most = min(count, Int(clamping: left))
        let space = unsafe UnsafeMutableRawBufferPointer(start: space, count: most)
        switch unsafe delegate.transferSupplies(into: space) {
        case .bytes(let count):
            left -= Int64(count)
            supplied += Int64(count)
            return count
        case .wait: return pause()
        case .abort: return gr_curl_read_abort
        }
    }

    private func pause() -> Int {
        isPaused = true
        return gr_curl_read_pause
    }

    private func seek(_ offset: Int64, _ origin: CInt) -> CInt {
        // What was sent is not sent again without the knowledge of whoever asked for it.
        supplied == offset && origin == 0 ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
    }

    // MARK: Its set

    func resume() {
        guard isPaused else { return }
        (isPaused, bodyWaits) = (false, false)
        unsafe curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    /// What the library says of its end.
    func ended(_ code: CURLcode) {
        guard code == CURLE_OK || isAnswered(code) else {
            delegate.transferEnded(hasBadStatus ? .badAnswer : failure(code))
            return
        }
        // Without a head there was no answer.
        delegate.transferEnded(hasHead ? nil : .badAnswer)
    }

    /// The answer is complete, and only the rest of the body could not be sent.
    private func isAnswered(_ code: CURLcode) -> Bool {
        guard hasHead, sends, [CURLE_SEND_ERROR, CURLE_RECV_ERROR].contains(code) else { return false }
        return unsafe gr_curl_size(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) == received
    }

    func cancelled() { delegate.transferEnded(.cancelled) }
}
