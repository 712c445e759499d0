internal import CCurl
internal import Glibc
internal import LinuxSystem

/// A server in this process that repeats the answer of another server, so that libcurl reads it.
@safe final class Replay {
    /// Where it listens.
    let name = UnsafeMutablePointer<gr_curl_name>.allocate(capacity: 1)
    private let listener: Descriptor
    private var client: Descriptor?
    private let answer: [UInt8]

    init?(_ answer: [UInt8]) {
        self.answer = answer
        let number = unsafe gr_curl_listen(name)
        listener = Descriptor(owning: number)
        guard number >= 0 else { return nil }
    }

    deinit { unsafe name.deallocate() }

    /// Sends the answer to libcurl when it has connected.
    func serve() {
        while client == nil {
            let number = Glibc.accept(listener.rawValue, nil, nil)
            guard number >= 0 else { return }
            let other = Descriptor(owning: number)
            // Every process of the machine may connect to the socket. The answer is for this process only.
            guard let peer = try? UnixSocket.peer(of: other), peer.pid == CurrentProcess.pid else { continue }
            // The whole answer fits into the socket's buffer. If sending fails, libcurl reads an answer without an end.
            _ = try? other.send(answer[...])
            _ = shutdown(number, CInt(SHUT_WR))
            client = other
        }
    }
}
