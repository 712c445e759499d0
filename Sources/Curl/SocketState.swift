internal import CCurl
internal import Glibc

/// What the library does not say of its sockets.
enum SocketState {
    /// Of what came and was not read so much is kept.
    private static let most = 64 << 10

    /// Something has come that nobody has read, or nothing will come any more.
    static func isReadable(_ descriptor: CInt) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) == 1
    }

    /// What has come and was not read.
    static func rest(of descriptor: CInt) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            while count < most {
                let free = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                let got = unsafe recv(descriptor, free.baseAddress, free.count, CInt(MSG_DONTWAIT))
                guard got > 0 else { return }
                count += got
            }
        }
    }

    static func setServiceClass(_ descriptor: CInt, _ value: UInt8) {
        gr_set_service_class(descriptor, CInt(value))
    }

    static func close(_ descriptor: CInt) -> CInt { Glibc.close(descriptor) }
}
