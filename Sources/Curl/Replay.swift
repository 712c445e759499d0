internal import CCurl
internal import Glibc
internal import LinuxSystem

/// A server in this process that says what another one said: libcurl reads the answer from it as from any other.
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

    /// Answers who has connected.
    func serve() {
        guard client == nil else { return }
        let number = Glibc.accept(listener.rawValue, nil, nil)
        guard number >= 0 else { return }
        let client = Descriptor(owning: number)
        // It fits: a socket's buffer is larger than what is kept of an answer.
        _ = try? client.send(answer[...])
        _ = shutdown(number, CInt(SHUT_WR))
        self.client = client
    }
}
