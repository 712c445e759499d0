internal import LinuxSystem
package import Model
internal import Wire

/// A service as its declaration says (docs/SERVICES.md, section 1), and how to start it.
package struct DeclaredService {
    package let declaration: ServiceDeclaration
    let program: String
    let arguments: [String]
    let startsWithDaemon: Bool
    /// It is told of the network and the power.
    let hearsConditions: Bool
    /// It is told of plain programs with its key, which never connect to it.
    let hearsPrograms: Bool
    /// Tools speak to it themselves, by this socket in its folder.
    let toolSocket: String?
    /// Services that it may ask for something.
    let asks: Set<String>
    /// What everybody is to see of an app while one of these is held for it, such as that it records; by the name that
    /// the hold has among all services'.
    let marks: [String: String]

    /// Why a declaration is left out, with what to do about it.
    package struct Fault: Error {
        package let file: String
        package let sentence: String
    }

    /// Who could change what the daemon does anyway: its user, root, and whose program it is.
    private static let owners: Set<UInt32> = {
        let program = CurrentProcess.executablePath.flatMap { try? Descriptor.open($0, .path).identity() }
        return Set([CurrentProcess.uid, 0, program?.owner].compactMap(\.self))
    }()

    /// The largest declaration, in bytes.
    private static let largest = 1 << 16

    /// Those of the folders, the first of a name; and what was left out.
    package static func read(_ folders: [String]) -> (services: [DeclaredService], faults: [Fault]) {
        var (services, faults): ([DeclaredService], [Fault]) = ([], [])
        for folder in folders {
            for name in FileSystem.names(in: folder).sorted() where name.hasSuffix(".json") {
                let path = "\(folder)/\(name)"
                do throws(Fault) {
                    let service = try DeclaredService(file: path, folder: folder)
                    guard !services.contains(where: { $0.declaration.name == service.declaration.name }) else {
                        throw Fault(file: path, sentence: "another file declares \(service.declaration.name)")
                    }
                    guard services.count < ServiceDeclaration.mostServices else {
                        throw Fault(file: path, sentence: "\(ServiceDeclaration.mostServices) services are read")
                    }
                    services.append(service)
                } catch {
                    faults.append(error)
                }
            }
        }
        return (services, faults)
    }

    init(file: String, folder: String) throws(Fault) {
        func fault(_ sentence: String) -> Fault { Fault(file: file, sentence: sentence) }
        for path in [folder, file] {
            // Whoever may write to it says what the daemon starts.
            guard let identity = try? Descriptor.open(path, .path, followsLinks: false).identity(),
                Self.owners.contains(identity.owner), !identity.isWritableByOthers
            else { throw fault("\(path) must belong to the daemon's user, and only that user may write to it") }
        }
        guard let bytes = FileSystem.read(file, limit: Self.largest), bytes.count < Self.largest,
            let json = try? JSONValue(parsing: bytes)
        else { throw fault("it is no JSON of less than \(Self.largest) bytes") }
        do throws(RPCError) {
            try self.init(json, folder)
        } catch {
            throw fault(error.message)
        }
    }

    private init(_ json: JSONValue, _ folder: String) throws(RPCError) {
        let name = try json.text("name", ServiceDeclaration.longestName)
        guard !name.isEmpty, name.utf8.allSatisfy({ Self.nameBytes.contains($0) }) else {
            throw .invalidParameter("name", "a name has lower-case letters, digits and -")
        }
        var declaration = ServiceDeclaration(name: name)
        declaration.holds = try json.kinds("holds").map { kind throws(RPCError) in
            ServiceDeclaration.Hold(
                name: try kind.text("name", ServiceDeclaration.longestName),
                sentence: try kind.text("sentence", ServiceDeclaration.longestText),
                activity: try kind.activity, priority: try kind.priority, limit: try kind.span("limit"))
        }
        var marks: [String: String] = [:]
        for kind in try json.kinds("holds") {
            guard try kind.optionalString("mark") != nil else { continue }
            marks["\(name).\(try kind.string("name"))"] = try kind.text("mark", ServiceDeclaration.longestName)
        }
        self.marks = marks
        declaration.windows = try json.kinds("windows").map { kind throws(RPCError) in
            let callback = try kind.callback
            // What is on the screen has all the time there is.
            guard let time = try kind.span("time") ?? (callback.opensApp ? .zero : nil) else {
                throw .invalidParameter("time", "a window has a time")
            }
            return ServiceDeclaration.Window(
                name: try kind.text("name", ServiceDeclaration.longestName),
                sentence: try kind.text("sentence", ServiceDeclaration.longestText), time: time,
                callback: callback)
        }
        if let key = try json.optionalString("mode") {
            declaration.mode = BackgroundModes(keys: [key])
            guard !declaration.mode.isEmpty else {
                throw .invalidParameter(
                    "mode", "a mode is a word of letters, digits, points and hyphens, such as audio: \(key.prefix(64))")
            }
        }
        declaration.worksInForeground = try json.bool("worksInForeground", default: true)
        (declaration.launchesAtBoot, declaration.relaunches) = try (
            json.launches("launchAtBoot"), json.launches("relaunch")
        )
        let start = try json.optionalString("start") ?? "onDemand"
        guard ["onDemand", "always"].contains(start) else {
            throw .invalidParameter("start", "a service starts onDemand or always")
        }
        let program = try json.text("program", 4096)
        guard !program.isEmpty, !program.utf8.contains(0) else {
            throw .invalidParameter("program", "a program has a path")
        }
        self.declaration = declaration
        self.program = FileSystem.realPath(program.hasPrefix("/") ? program : "\(folder)/\(program)")
        arguments =
            try json["arguments"] == nil
            ? []
            : json.array("arguments").map { value throws(RPCError) in
                guard let text = value.string, !text.utf8.contains(0) else {
                    throw .invalidParameter("arguments", "arguments are texts")
                }
                return text
            }
        startsWithDaemon = start == "always"
        hearsConditions = try json.bool("conditions", default: false)
        hearsPrograms = try json.bool("programs", default: false)
        asks = Set(try json.strings("asks"))
        toolSocket = try json.optionalString("tools")
        guard toolSocket.map({ !$0.isEmpty && !$0.hasPrefix(".") && $0.utf8.allSatisfy(Self.isPlain) }) ?? true else {
            throw .invalidParameter("tools", "it is the name of a socket in the service's folder")
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F && byte != 0x2F }

    private static let nameBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-".utf8)
}

extension JSONValue {
    fileprivate func text(_ name: String, _ most: Int) throws(RPCError) -> String {
        let text = try string(name)
        guard text.utf8.count <= most else { throw .invalidParameter(name, "it has at most \(most) bytes") }
        return text
    }

    fileprivate func kinds(_ name: String) throws(RPCError) -> [JSONValue] {
        let kinds = self[name] == nil ? [] : try array(name)
        guard kinds.count <= ServiceDeclaration.mostKinds else {
            throw .invalidParameter(name, "a service declares at most \(ServiceDeclaration.mostKinds)")
        }
        return kinds
    }

    /// The method of the app that a window calls, or that it opens the app.
    fileprivate var callback: WindowCallback {
        get throws(RPCError) {
            let isChallenge = try bool("authentication", default: false)
            let option = try optionalString("option")
            switch (try optionalString("callback") ?? CallbackName.handleServiceEvents.rawValue, option) {
            case (CallbackName.handleServiceEvents.rawValue, nil) where !isChallenge: return .serviceEvents
            case (CallbackName.handleServiceEvents.rawValue, LaunchNotification.remoteKey):
                return .serviceEventsAtLaunch
            case (CallbackName.handleServiceEvents.rawValue, LaunchNotification.locationKey):
                return .locationEventsAtLaunch
            case (CallbackName.handleEventsForBackgroundURLSession.rawValue, nil):
                return isChallenge ? .sessionChallenge : .sessionEvents
            case ("open", nil): return .opening
            case ("open", LaunchNotification.localKey): return .localOpening
            case ("open", LaunchNotification.remoteKey): return .remoteOpening
            default:
                throw .invalidParameter(
                    "callback",
                    "a window calls handleServiceEvents (option: none, remoteNotification or location) or "
                        + "handleEventsForBackgroundURLSession, or is open (option: none, localNotification or "
                        + "remoteNotification)")
            }
        }
    }

    /// What the app's traffic is charged to.
    fileprivate var activity: Purpose? {
        get throws(RPCError) {
            guard let word = try optionalString("activity") else { return nil }
            guard let purpose = Purpose.ofServices.first(where: { $0.name == word }) else {
                let known = Purpose.ofServices.map(\.name).joined(separator: ", ")
                throw .invalidParameter("activity", "the activity of a hold is one of \(known)")
            }
            return purpose
        }
    }

    /// Earlier declarations say `perceived`.
    fileprivate var priority: AppPriority {
        get throws(RPCError) {
            let isPerceived = try bool("perceived", default: false)
            guard let word = try optionalString("priority") else { return isPerceived ? .foreground : .background }
            guard let priority = AppPriority.allCases.first(where: { $0.name == word }) else {
                let known = AppPriority.allCases.map(\.name).joined(separator: ", ")
                throw .invalidParameter("priority", "the priority of a hold is one of \(known)")
            }
            return priority
        }
    }

    /// Whether apps with its mode are launched for it.
    fileprivate func launches(_ name: String) throws(RPCError) -> Bool {
        guard try bool(name, default: false) else { return false }
        guard self["mode"] != nil else {
            throw .invalidParameter(name, "apps are launched by their mode: declare one")
        }
        return true
    }

    /// Seconds; none is no limit.
    fileprivate func span(_ name: String) throws(RPCError) -> Span? {
        guard let seconds = try optionalNumber(name) else { return nil }
        guard seconds > 0, seconds <= 31_536_000 else {
            throw .invalidParameter(name, "a time is more than 0 seconds, and at most a year")
        }
        return .seconds(seconds)
    }
}
