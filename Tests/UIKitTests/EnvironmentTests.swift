import AppRuntime
import Glibc
import Testing
import Wire

extension UIKitTests {
    @Suite("Environment")
    @MainActor
    struct EnvironmentTests {
        @Test("The socket is taken out of the environment, and programs that the app starts do not inherit it")
        func taken() async throws {
            let (daemon, pair) = try FakeDaemon.pair()
            let descriptor = try #require(pair.descriptor)
            unsafe setenv("GREENROOM_FD", String(descriptor), 1)
            unsafe setenv("GREENROOM_SOCKET", "/nowhere/app", 1)
            unsafe setenv("GREENROOM_APP", "org.example.test", 1)
            defer {
                unsafe unsetenv("GREENROOM_SOCKET")
                unsafe unsetenv("GREENROOM_APP")
            }
            let environment = try #require(LaunchEnvironment.take())
            #expect(environment.descriptor == descriptor)
            #expect(environment.socketPath == "/nowhere/app")
            #expect(environment.app == "org.example.test")
            #expect(unsafe getenv("GREENROOM_FD") == nil)
            let connection = AppConnection(environment, client: "test/1") { _ in [:] }
            connection.start()
            defer { connection.stop() }
            try await daemon.greet()
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        }

        @Test("A number that is no socket is not taken for one", arguments: ["", "x", "-1", "99999", "0x3"])
        func noSocket(value: String) {
            unsafe setenv("GREENROOM_FD", value, 1)
            #expect(LaunchEnvironment.take() == nil)
        }
    }
}
