internal import LinuxSystem
internal import Wire

/// What it costs a service to hold an app and to wake it: this program is the service, and the smallest app has
/// connected to it.
struct Brokering {
    let system: RunningSystem

    struct Times {
        var held = Samples()
        var dropped = Samples()
        /// From the request to wake a suspended app to the news that it is done: by a service, and by the Core itself.
        var woken = Samples()
        var fetched = Samples()
        /// A message to a process that runs, and its answer.
        var floor = Samples()
    }

    private static let declaration = """
        {"name": "bench", "program": "/bin/true", "holds": [{"name": "held", "sentence": "it is measured"}],
         "windows": [{"name": "news", "sentence": "what is measured", "time": 10}]}
        """

    /// Before the system starts: declarations are read then.
    func declare() throws {
        try FileSystem.makeDirectory(system.home, mode: 0o700)
        try FileSystem.makeDirectory(system.home + "/services", mode: 0o700)
        let file = try Descriptor.open(system.home + "/services/bench.json", .write, create: 0o600)
        try file.writeAll(Array(Self.declaration.utf8))
    }

    func measure(with tool: Tool, place: String, rounds: Int) throws -> Times {
        var service = try Service(system.home + "/service")
        _ = try service.ask("hello", ["protocol": 1, "service": "bench", "holds": []])
        let app = try system.install(1, with: tool, does: "connect=1", mode: "fetch")
        try tool.ask(.open, ["app": .string(app), "wait": false])
        let process = try service.attach(app)
        let hold: JSONValue = ["app": .string(app), "process": .int(Int64(process)), "hold": "held"]
        var times = Times()
        for _ in 0..<rounds {
            times.held.append(try service.ask("hold", hold))
            times.dropped.append(try service.ask("drop", hold))
        }
        for _ in 0..<rounds / 10 {
            try awaitSuspension(of: app, tool)
            times.woken.append(try service.wake(app))
            try awaitSuspension(of: app, tool)
            times.fetched.append(
                try tool.time(.simulate, ["event": "fetch", "app": .string(app)]).nanoseconds)
        }
        let raw = try RawProcess(1, program: nil, place: place)
        defer { raw.end() }
        _ = try raw.wake()
        for _ in 0..<rounds { times.floor.append(try raw.roundTrip()) }
        return times
    }

    private func awaitSuspension(of app: String, _ tool: Tool) throws {
        try tool.ask(.home)
        for _ in 0..<5_000 {
            guard case .array(let apps) = try tool.ask(.apps) else { throw BenchError("apps are no array") }
            if try apps.contains(where: { try $0.string("app") == app && $0.string("state") == "suspended" }) { return }
            pause(milliseconds: 1)
        }
        throw BenchError("\(app) is not suspended")
    }

    /// This program's end of the service socket, one request at a time.
    private struct Service {
        private let socket: Descriptor
        private var framer = LineFramer()
        private var nextID: Int64 = 1

        init(_ path: String) throws { socket = try UnixSocket.connect(to: path) }

        /// Nanoseconds from the writing of the request to the first bytes that hold its answer.
        mutating func ask(_ method: String, _ params: JSONValue) throws -> Int64 {
            let id = nextID
            nextID += 1
            let request = RPCMessage.request(id: .int(id), method: method, params: params).encoded()
            let start = Clock.monotonic()
            try socket.writeAll(request)
            while true {
                let message = try next()
                switch message {
                case .response(.int(id), _): return Clock.monotonic() - start
                case .failure(_, let error): throw BenchError("\(method) was refused: \(error.message)")
                case .response, .request, .notification: continue
                }
            }
        }

        /// The number of the app's process, once it has connected. What is spoken on its connection is nobody's affair.
        mutating func attach(_ app: String) throws -> Int {
            while true {
                guard case .request(let id, "attach", let params) = try next(), try params.string("app") == app else {
                    continue
                }
                try socket.writeAll(RPCMessage.response(id: id, result: [:]).encoded())
                return try params.int("process")
            }
        }

        /// Nanoseconds until the news that the app is done with it.
        mutating func wake(_ app: String) throws -> Int64 {
            let id = nextID
            nextID += 1
            let params: JSONValue = ["app": .string(app), "window": "news"]
            let request = RPCMessage.request(id: .int(id), method: "wake", params: params).encoded()
            let start = Clock.monotonic()
            try socket.writeAll(request)
            while true {
                switch try next() {
                case .notification("windowEnded", let params):
                    let time = Clock.monotonic() - start
                    guard try params.string("result") == "done" else { throw BenchError("the app was not done") }
                    return time
                case .failure(_, let error): throw BenchError("wake was refused: \(error.message)")
                case .response, .request, .notification: continue
                }
            }
        }

        private mutating func next() throws -> RPCMessage {
            while true {
                if let line = try framer.next() { return try RPCMessage.parse(line) }
                var bytes: [UInt8] = []
                guard case .bytes = try socket.read(into: &bytes, upTo: 65_536) else {
                    throw BenchError("the daemon closed the connection to the service")
                }
                framer.append(bytes)
            }
        }
    }
}
