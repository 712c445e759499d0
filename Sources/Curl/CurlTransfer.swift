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
    ///
    /// - Parameter moved: how many bytes came over the network since the last call, before they were decoded.
    func transfer(received bytes: UnsafeRawBufferPointer, moved: Int) -> CurlFlow
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
    private(set) var head: CurlHead?
    private var hasHead: Bool { head != nil }
    private var hasBadStatus = false
    /// Of all heads, those of answers between included.
    private var lines = 0
    private static let mostLines = 1000
    /// Of the answer's body.
    private var received = 0
    /// Of that, what came over the network, before it was decoded.
    private var moved = 0
    /// The answer's body is not wanted yet.
    private var bodyWaits = false
    /// It has paused to read what the server says.
    var looksForAnswer = false
    /// It has, and what it read was no head: the connection's end is found out by sending.
    private var hasLooked = false
    /// The descriptor of its connection; -1: it has had none.
    var socket: CInt = -1
    let request: CurlRequest
    /// What the server had said when the connection ended while the body was sent.
    private var farewell: [UInt8] = []
    private(set) var replay: Replay?
    /// Whether the server has said that nothing follows, if TLS was on its connection and that is closed.
    var serverEnded: Bool?
    /// Lists of the library that must outlive the request.
    var list: UnsafeMutablePointer<curl_slist>?

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
        guard socket == self.socket, sends, !hasHead, supplied > 0, !isSecure else {
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

    // MARK: What the library calls

    private func header(_ line: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        // It looks through all of them for each field that it is asked for.
        lines += 1
        guard lines <= Self.mostLines else {
            hasBadStatus = true
            return -1
        }
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
        self.head = head
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
        let total = Int(unsafe gr_curl_size(easy, CURLINFO_SIZE_DOWNLOAD_T))
        let flow = unsafe delegate.transfer(
            received: UnsafeRawBufferPointer(start: bytes, count: count), moved: total - moved)
        switch flow {
        case .taken:
            received += count
            moved = total
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

    /// What waited is offered before this returns, and if it is not taken nobody but the caller hears of it.
    func resume() -> CURLcode {
        guard isPaused else { return CURLE_OK }
        (isPaused, bodyWaits) = (false, false)
        return unsafe curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    /// What the library says of its end.
    func ended(_ code: CURLcode) {
        guard code == CURLE_OK || isAnswered(code) else {
            delegate.transferEnded(hasBadStatus ? .badAnswer : failure(code))
            return
        }
        guard let head else {
            delegate.transferEnded(.badAnswer)
            return
        }
        delegate.transferEnded(isCutOff(head) ? .connectionLost : nil)
    }

    /// A body that ends with the connection is whole only if the server has said so: anybody on the way can end a
    /// connection, and the library takes that for the end.
    private func isCutOff(_ head: CurlHead) -> Bool {
        let hasLength = head.first("content-length") != nil || head.first("transfer-encoding") != nil
        let hasBody = head.status != 204 && head.status != 304 && request.method != "HEAD"
        return isSecure && head.version.hasPrefix("1.") && hasBody && !hasLength && serverEnded != true
    }

    /// The answer is complete, and only the rest of the body could not be sent.
    private func isAnswered(_ code: CURLcode) -> Bool {
        guard hasHead, sends, [CURLE_SEND_ERROR, CURLE_RECV_ERROR].contains(code) else { return false }
        return unsafe gr_curl_size(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) == received
    }

    func cancelled() { delegate.transferEnded(.cancelled) }
}
