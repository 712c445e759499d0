internal import Glibc
internal import Wire

/// What the daemon gave the process at its start (`docs/PROTOCOL.md`, section 2).
package struct LaunchEnvironment: Sendable {
    /// The connected socket. Whoever makes an `AppConnection` of it owns it.
    package let descriptor: CInt?
    /// Where to reconnect.
    package let socketPath: String?
    /// The app's identifier.
    package let app: String?

    package init(descriptor: CInt?, socketPath: String?, app: String?) {
        self.descriptor = descriptor
        self.socketPath = socketPath
        self.app = app
    }

    /// Takes the socket out of the environment, so that programs that the app starts know nothing of it.
    ///
    /// `nil` if Greenroom did not start this process. To be called before other threads read the environment.
    package static func take() -> LaunchEnvironment? {
        let descriptor = variable(AppEnvironment.descriptor).flatMap { CInt($0) }.flatMap {
            RawSocket.isSocket($0) ? $0 : nil
        }
        let path = variable(AppEnvironment.socket)
        unsafe unsetenv(AppEnvironment.descriptor)
        guard descriptor != nil || path != nil else { return nil }
        return LaunchEnvironment(descriptor: descriptor, socketPath: path, app: variable(AppEnvironment.app))
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}
