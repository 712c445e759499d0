internal import CCurl
internal import COpenSSL
package import LinuxSystem

/// Transfers that share connections: a “multi handle” of libcurl whose sockets are in an epoll of its owner.
///
/// Used on one thread only. Transfers are begun and cancelled between calls of the library, never in a delegate's
/// methods but the last.
@safe package final class CurlSet {
    private struct Socket {
        let token: UInt64
        /// The events that libcurl waits for: `CURL_POLL_IN`, `CURL_POLL_OUT` or both.
        var wanted: CInt
    }

    private let multi: UnsafeMutableRawPointer
    private let epoll: Epoll
    private var sockets: [CInt: Socket] = [:]
    /// The service classes of connections that have one.
    private var classes: [CInt: UInt8] = [:]
    private var descriptors: [UInt64: CInt] = [:]
    private var nextToken: UInt64
    /// Of each connection with TLS, whether the server has said that nothing follows.
    private var notes: [CInt: UnsafeMutablePointer<CInt>] = unsafe [:]
    /// The notes of connections whose socket is not known yet, by transfer; and notes that are no longer read.
    private var unplaced: [UInt: UnsafeMutablePointer<CInt>] = unsafe [:]
    private var lost: [UnsafeMutablePointer<CInt>] = unsafe []
    /// By their handles.
    private var running: [UInt: CurlTransfer] = [:]
    /// Those of them with a body.
    private var senders: [UInt: CurlTransfer] = [:]
    /// When the library wants to be called, by the monotonic clock.
    private var deadline: Int64?
    private var hasEnded = false
    /// Transfers that share the memory for buffers: a few have large ones.
    private static let fewTransfers = 4

    /// - Parameter firstToken: tokens from this one on are the set's.
    package init?(_ epoll: Epoll, firstToken: UInt64) {
        guard let multi = unsafe curl_multi_init() else { return nil }
        unsafe self.multi = unsafe multi
        self.epoll = epoll
        nextToken = firstToken
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe gr_curl_multi_set_callbacks(
            multi,
            { easy, socket, what, context, _ in
                guard let context = unsafe context else { return 0 }
                unsafe Unmanaged<CurlSet>.fromOpaque(context).takeUnretainedValue().watch(socket, what, of: easy)
                return 0
            },
            { _, milliseconds, context in
                guard let context = unsafe context else { return 0 }
                unsafe Unmanaged<CurlSet>.fromOpaque(context).takeUnretainedValue().setTimeout(milliseconds)
                return 0
            }, context)
        unsafe gr_curl_multi_set(multi, CURLMOPT_MAXCONNECTS, 64)
    }

    deinit { end() }

    /// Closes all connections. Delegates of running transfers hear nothing. Do not use the set again.
    package func end() {
        guard !hasEnded else { return }
        hasEnded = true
        for transfer in running.values { unsafe curl_multi_remove_handle(multi, transfer.easy) }
        (running, senders) = ([:], [:])
        unsafe curl_multi_cleanup(multi)
        unsafe (Array(notes.values) + Array(unplaced.values) + lost).forEach { unsafe $0.deallocate() }
        unsafe (notes, unplaced, lost) = ([:], [:], [])
    }

    /// The first token that it has not used.
    package var unusedToken: UInt64 { nextToken }

    // MARK: Transfers

    package func begin(_ transfer: CurlTransfer) {
        running[transfer.key] = transfer
        if transfer.sends { senders[transfer.key] = transfer }
        unsafe gr_curl_set_tls(
            transfer.easy,
            { easy, tls, context in
                guard let context = unsafe context else { return CURLE_OK }
                unsafe Unmanaged<CurlSet>.fromOpaque(context).takeUnretainedValue().noteEnd(of: tls, easy)
                return CURLE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
        let buffer = running.count > Self.fewTransfers ? 64 << 10 : 512 << 10
        unsafe gr_curl_set(transfer.easy, CURLOPT_BUFFERSIZE, buffer)
        unsafe gr_curl_set_close(
            transfer.easy,
            { context, socket in
                guard let context = unsafe context else { return -1 }
                return unsafe Unmanaged<CurlSet>.fromOpaque(context).takeUnretainedValue().close(socket)
            }, Unmanaged.passUnretained(self).toOpaque())
        guard unsafe curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
            remove(transfer)
            transfer.ended(CURLE_OUT_OF_MEMORY)
            return
        }
    }

    package func resume(_ transfer: CurlTransfer) {
        goOn(transfer)
        collect()
    }

    private func goOn(_ transfer: CurlTransfer) {
        let code = transfer.resume()
        // A transfer without a connection goes on when it gets one.
        guard code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT, running[transfer.key] != nil else { return }
        remove(transfer)
        unsafe curl_multi_remove_handle(multi, transfer.easy)
        transfer.ended(code)
    }

    private func remove(_ transfer: CurlTransfer) {
        running[transfer.key] = nil
        senders[transfer.key] = nil
        unsafe unplaced.removeValue(forKey: transfer.key).map { unsafe lost.append($0) }
    }

    /// Its delegate hears the end before this returns.
    package func cancel(_ transfer: CurlTransfer) {
        guard running[transfer.key] != nil else { return }
        remove(transfer)
        unsafe curl_multi_remove_handle(multi, transfer.easy)
        transfer.cancelled()
    }

    // MARK: Time and sockets

    /// Nanoseconds until `timePassed` has to be called; `nil`: nothing waits.
    package func timeLeft(at now: Int64) -> Int64? { deadline.map { max(0, $0 - now) } }

    package func timePassed(at now: Int64) {
        guard let deadline, deadline <= now else { return }
        self.deadline = nil
        act(CURL_SOCKET_TIMEOUT, 0)
    }

    /// Answers whether the token is one of its own.
    package func handle(_ ready: Epoll.Ready) {
        guard let descriptor = descriptors[ready.token], let socket = sockets[descriptor] else { return }
        let isBroken = !ready.events.isDisjoint(with: [.error, .hangUp])
        var events: CInt = 0
        if isBroken || ready.events.contains(.readable) { events |= CURL_CSELECT_IN }
        if isBroken || ready.events.contains(.writable) { events |= CURL_CSELECT_OUT }
        // The library takes what it did not ask for as a reason to try it.
        if socket.wanted & CURL_POLL_IN == 0 { events &= ~CURL_CSELECT_IN }
        if socket.wanted & CURL_POLL_OUT == 0 { events &= ~CURL_CSELECT_OUT }
        act(descriptor, isBroken && events == 0 ? CURL_CSELECT_ERR : events)
    }

    private func act(_ socket: CInt, _ events: CInt) {
        var count: CInt = 0
        _ = unsafe curl_multi_socket_action(multi, socket, events, &count)
        collect()
    }

    /// Tells of what has ended, and lets those go on that looked for an answer.
    private func collect() {
        var code = CURLE_OK
        while let easy = unsafe gr_curl_multi_ended(multi, &code) {
            let transfer = unsafe CurlTransfer.owning(easy)
            unsafe curl_multi_remove_handle(multi, easy)
            remove(transfer)
            if code != CURLE_OK, transfer.beginReplay() { begin(transfer) } else { transfer.ended(code) }
        }
        for transfer in senders.values {
            transfer.replay?.serve()
            guard transfer.looksForAnswer else { continue }
            transfer.looksForAnswer = false
            goOn(transfer)
        }
    }

    private func watch(_ descriptor: CInt, _ what: CInt, of easy: UnsafeMutableRawPointer?) {
        guard what != CURL_POLL_REMOVE else {
            guard let socket = sockets.removeValue(forKey: descriptor) else { return }
            descriptors[socket.token] = nil
            epoll.remove(descriptor)
            return
        }
        if let transfer = running[UInt(bitPattern: easy)] { carry(transfer, over: descriptor) }
        placeNote(descriptor, of: UInt(bitPattern: easy))
        var events: Epoll.Events = []
        if what & CURL_POLL_IN != 0 { events.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { events.insert(.writable) }
        do throws(SystemError) {
            if let known = sockets[descriptor] {
                sockets[descriptor]?.wanted = what
                try epoll.modify(descriptor, events, token: known.token)
            } else {
                let token = nextToken
                nextToken += 1
                sockets[descriptor] = Socket(token: token, wanted: what)
                descriptors[token] = descriptor
                try epoll.add(descriptor, events, token: token)
            }
        } catch {
            // Then only the library's own timeouts move it, and the request's time limit ends it.
            sockets[descriptor]?.wanted = 0
        }
    }

    /// A transfer may take a connection over from another one, whose service class was different.
    private func carry(_ transfer: CurlTransfer, over descriptor: CInt) {
        let isNew = transfer.socket != descriptor
        transfer.socket = descriptor
        let serviceClass = transfer.request.serviceClass
        guard isNew, serviceClass != nil || classes[descriptor] != nil else { return }
        classes[descriptor] = serviceClass
        SocketState.setServiceClass(descriptor, serviceClass ?? 0)
    }

    /// A connection begins TLS. Its socket is the one that the library waits for next: until now it may have raced
    /// several.
    private func noteEnd(of tls: UnsafeMutableRawPointer?, _ easy: UnsafeMutableRawPointer?) {
        guard let tls = unsafe tls else { return }
        let note = UnsafeMutablePointer<CInt>.allocate(capacity: 1)
        unsafe note.initialize(to: 0)
        unsafe unplaced.updateValue(note, forKey: UInt(bitPattern: easy)).map { unsafe lost.append($0) }
        unsafe gr_ssl_note_end(tls, note)
    }

    private func placeNote(_ socket: CInt, of easy: UInt) {
        guard let note = unsafe unplaced.removeValue(forKey: easy) else { return }
        unsafe notes.updateValue(note, forKey: socket).map { unsafe lost.append($0) }
    }

    private func close(_ socket: CInt) -> CInt {
        classes[socket] = nil
        for transfer in senders.values { transfer.rescue(socket) }
        if let note = unsafe notes.removeValue(forKey: socket) {
            for transfer in running.values where transfer.socket == socket {
                transfer.serverEnded = unsafe note.pointee == 1
            }
            unsafe note.deallocate()
        }
        return SocketState.close(socket)
    }

    private func setTimeout(_ milliseconds: Int) {
        deadline = milliseconds < 0 ? nil : Clock.monotonic() + Int64(milliseconds) * 1_000_000
    }
}
