package import AppRuntime
internal import CBackgroundTransfer
internal import Glibc
internal import Synchronization

/// The way to the transfer service.
package protocol ServiceConnector: Sendable {
    /// A new connection; `nil` if there is none now. May block.
    func connect() -> RawSocket?

    /// What `hello` says of this program, where the service does not know it: on its own socket.
    var introduction: (app: String, container: String)? { get }
}

/// The service that runs for this user, with or without Greenroom. It is started when nobody listens.
package final class StandaloneConnector: ServiceConnector {
    private let home: String
    private let program: String?
    private let app: String
    private let container: String
    /// What was started and has not been waited for; a pid stays taken until then.
    private let started = Mutex<[pid_t]>([])

    package init(home: String, program: String?, app: String, container: String) {
        self.home = home
        self.program = program
        self.app = app
        self.container = container
    }

    package var introduction: (app: String, container: String)? { (app, container) }

    package func connect() -> RawSocket? {
        started.withLock { pids in pids.removeAll(where: Self.hasEnded) }
        let path = "\(home)/client"
        if let socket = RawSocket.connect(to: path) { return socket }
        // One that is on its way is waited for; a second one would only find the first.
        if started.withLock({ $0.isEmpty }) { start() }
        return nil
    }

    private static func hasEnded(_ pid: pid_t) -> Bool { waitpid(pid, nil, WNOHANG) != 0 }

    private func start() {
        guard let program, let path = unsafe strdup(program), let folder = unsafe strdup(home),
            let option = unsafe strdup("--home")
        else { return }
        Self.makeDirectories(home)
        let log = unsafe open("\(home)/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard log >= 0 else { return }
        let output = OwnedDescriptor(log)
        var arguments = unsafe [path, option, folder, nil]
        let pid = unsafe cbt_start(path, &arguments, output.number)
        for index in 0..<3 { unsafe free(arguments[index]) }
        if pid > 0 { started.withLock { $0.append(pid) } }
    }

    private static func makeDirectories(_ path: String) {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/\(part)"
            unsafe mkdir(made, 0o700)
        }
    }
}

extension StandaloneConnector {
    /// Where the environment says that service and state are.
    package convenience init(executable: String, temporaryFolder: String) {
        let name = executable.split(separator: "/").last.map(String.init) ?? "program"
        let beside = executable.lastIndex(of: "/").map { String(executable[..<$0]) }
        self.init(
            home: Self.home(Self.variable), program: Self.program(beside: beside),
            app: Self.identifier(Self.variable("GREENROOM_TRANSFER_APP") ?? name), container: temporaryFolder)
    }

    package static func home(_ variable: (String) -> String?) -> String {
        if let path = variable("GREENROOM_TRANSFERS") { return path }
        if let state = variable("XDG_STATE_HOME") { return "\(state)/greenroom-transfers" }
        return "\(variable("HOME") ?? "/tmp")/.local/state/greenroom-transfers"
    }

    private static func program(beside directory: String?) -> String? {
        if let path = variable("GREENROOM_TRANSFERD") { return path }
        let folders = [directory].compactMap(\.self) + (variable("PATH") ?? "").split(separator: ":").map(String.init)
        return folders.map { "\($0)/greenroom-transferd" }.first { unsafe access($0, X_OK) == 0 }
    }

    /// The service takes letters, digits, dots and dashes, at most 127 of them.
    package static func identifier(_ name: String) -> String {
        let characters = name.unicodeScalars.map { scalar -> Character in
            let isAllowed = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            return isAllowed || scalar == "." || scalar == "-" ? Character(scalar) : "-"
        }
        return characters.isEmpty ? "program" : String(characters.prefix(127))
    }

    static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
