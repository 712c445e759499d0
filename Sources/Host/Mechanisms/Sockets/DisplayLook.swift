internal import LinuxSystem
internal import Synchronization

/// A look at an X display, for a worker.
enum DisplayLook {
    /// A server that does not answer for so long shows nothing either.
    private static let limit: Int32 = 500

    /// The name of the display that is reached by this path, if a client of it has grabbed the keyboard or the pointer.
    static func grabbed(at path: String) -> String? {
        guard let display = XServer.display(at: path) else { return nil }
        do {
            let server = try XServer(at: path, display: display, cookie: cookie(for: display), milliseconds: limit)
            return try server.hasGrab() ? display : nil
        } catch {
            if told.withLock({ $0.insert(display).inserted }) {
                Diagnostics.write("the display \(display) does not say whether its input is grabbed: \(error)")
            }
            return nil
        }
    }

    /// Each once: it is asked at every suspension of a client.
    private static let told = Mutex<Set<String>>([])

    /// Apps have their address of the display from this process, and it has the key from the same place.
    private static func cookie(for display: String) -> [UInt8]? {
        let folder = CurrentProcess.environment("HOME").map { $0 + "/.Xauthority" }
        guard let path = CurrentProcess.environment("XAUTHORITY") ?? folder,
            let file = FileSystem.read(path, limit: 1 << 16)
        else { return nil }
        return XServer.cookie(for: display, in: file)
    }
}
