internal import LinuxSystem

/// Starts the process that keeps an app's terminal: with it the app outlives the daemon, which must not hold the
/// master alone.
enum TerminalHolder {
    static func start(keeper: String, master: Descriptor, home: Home, app: String) throws -> PidFD {
        let listener = try UnixSocket.listen(at: home.terminal(app), mode: 0o600)
        let output = try Descriptor.open(home.output(app), .append, create: 0o600)
        let null = try Descriptor.open("/dev/null", .readWrite)
        var spawn = Spawn(
            path: keeper, arguments: [keeper, "terminal", home.terminal(app)],
            environment: ["GREENROOM_HOME=\(home.path)", "SWIFT_BACKTRACE=enable=no"])
        spawn.descriptors = [(null, 0), (null, 1), (null, 2), (master, 3), (listener, 4), (output, 5)]
        return try spawn.start()
    }
}
