import ContractSuite
import LinuxSystem
import Model
import Wire

/// The apps of the contract suite as real ones: Misbehaver for those that speak the protocol, a script for the others.
enum ContractApps {
    static let areBuilt = FileSystem.exists(program)
    private static let program = "\(Machine.programs)/Misbehaver"

    /// Makes what `greenroom install` takes; its path.
    static func make(_ app: TestApp, in system: TestSystem) throws -> String {
        app.kind == .plain ? try makePlain(app, system) : try makeBundle(app, system)
    }

    // MARK: Bundles

    private static func makeBundle(_ app: TestApp, _ system: TestSystem) throws -> String {
        let bundle = "\(system.folder)/\(app.name).app"
        try system.write(propertyList(app), to: "\(bundle)/Info.plist")
        if app.launch == .cannotBeExecuted {
            try system.write("#!/no/such/interpreter\n", to: "\(bundle)/\(app.name)", executable: true)
        } else {
            // A copy by name costs nothing; the installation makes one by content.
            let copy = try Child("/bin/cp", [program, "\(bundle)/\(app.name)"], environment: [:]).outcome()
            guard copy.code == 0 else { throw Trouble("\(program) cannot be copied: \(copy.errors)") }
        }
        return bundle
    }

    private static func propertyList(_ app: TestApp) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>\(app.name)</string>
        <key>CFBundleName</key><string>\(app.name)</string>
        <key>CFBundleExecutable</key><string>\(app.name)</string>
        <key>CFBundleURLTypes</key><array><dict>
        <key>CFBundleURLSchemes</key><array>\(strings(app.urlSchemes))</array>
        </dict></array>
        <key>UIBackgroundModes</key><array>\(strings(app.backgroundModes.keys))</array>
        <key>BGTaskSchedulerPermittedIdentifiers</key><array>\(strings(app.taskIdentifiers))</array>
        <key>UIApplicationExitsOnSuspend</key><\(app.exitsOnSuspend)/>
        \(scenes(app))
        <key>GRScript</key><string>\(script(app))</string>
        <key>GRMisbehave</key><string>\(misdeeds(app).joined(separator: ","))</string>
        </dict></plist>
        """
    }

    private static func scenes(_ app: TestApp) -> String {
        guard app.scenes != .none else { return "" }
        return """
            <key>UIApplicationSceneManifest</key><dict>
            <key>UIApplicationSupportsMultipleScenes</key><\(app.scenes == .several)/>
            <key>UISceneConfigurations</key><dict><key>UIWindowSceneSessionRoleApplication</key><array><dict>
            <key>UISceneConfigurationName</key><string>Default Configuration</string>
            <key>UISceneDelegateClassName</key><string>Misbehaver.SceneDelegate</string>
            </dict></array></dict></dict>
            """
    }

    /// JSON, with nothing in it that a property list would take for itself.
    private static func script(_ app: TestApp) -> String {
        var script: JSONObject = [:]
        for (occasion, actions) in app.script { script[occasion] = .array(actions.map(JSONValue.string)) }
        return String(decoding: JSONValue.object(script).encoded, as: UTF8.self).replacing("&", with: "&amp;")
            .replacing("<", with: "&lt;")
    }

    private static func strings(_ values: [String]) -> String { values.map { "<string>\($0)</string>" }.joined() }

    private static func misdeeds(_ app: TestApp) -> [String] {
        var words = app.holds.map { "hold:\($0.name)" }
        words += app.slow.map { "slow:\($0.name):\(app.slowness.nanoseconds / 1_000_000)" }
        if app.leavesChild { words.append("leave-child") }
        switch app.launch {
        case .works, .cannotBeExecuted: break
        case .exits: words.append("exit-at-launch")
        case .crashes: words.append("crash-at-launch")
        case .neverConnects: words.append("never-connect")
        }
        return words
    }

    /// What Misbehaver listens to: `Fixtures/Misbehaver/Sources/Remote.swift`.
    static let releaseSignal: Int32 = 40
    static let orderSignal: Int32 = 41

    /// The URL that Misbehaver obeys.
    static func order(_ deed: Deed, in folder: String) -> String {
        switch deed {
        case .openURL(let url): "misbehave://open?url=\(url)"
        case .canOpenURL(let url): "misbehave://can-open?url=\(url)"
        case .beginTask(let name): order(action: "begin task \"\(name)\"")
        case .endTask(let name): order(action: "end task \"\(name)\"")
        case .block: "misbehave://block"
        case .exit(let status): "misbehave://exit?code=\(status)"
        case .crash: "misbehave://crash"
        case .activateScene(let scene): order(action: "activate " + (scene.map { "scene \($0)" } ?? "new scene"))
        case .destroyScene(let scene): order(action: "destroy scene \(scene)")
        case .lock(let file): "misbehave://lock?file=\(folder)/\(file)"
        case .draw: "misbehave://draw?machine=\(FakeGPU.place(in: folder))"
        case .listen: "misbehave://listen"
        case .use(let hold): order(action: "use probe.\(hold)")
        case .leave(let hold): order(action: "leave probe.\(hold)")
        case .fork(let children): "misbehave://fork?max=\(children)"
        case .complete(let service, let result): order(action: "complete \(service.name) \(result.name)")
        case .setFetchInterval(let interval):
            order(action: interval.map { "fetch every \($0.seconds)s" } ?? "fetch never")
        case .keepScreenOn(let keeps): "misbehave://keep-screen-on?keeps=\(keeps)"
        case .submitTask(let kind, let identifier): order(action: "submit \(kind.name) \"\(identifier)\"")
        }
    }

    /// An action in the words of scenarios.
    static func order(action: String) -> String {
        let bytes = action.utf8.map { byte in
            let isPlain = (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "misbehave://do?action=\(bytes.joined())"
    }

    // MARK: Plain programs

    private static func makePlain(_ app: TestApp, _ system: TestSystem) throws -> String {
        let script = "\(system.folder)/\(app.name).py"
        try system.write(plainProgram(app), to: script)
        let path = "\(system.folder)/\(app.name).desktop"
        try system.write(
            """
            [Desktop Entry]
            Type=Application
            Name=\(app.name)
            Exec=python3 \(script)
            X-Greenroom-Freeze=\(!app.isGraphical)
            X-Greenroom-BackgroundModes=\(app.backgroundModes.keys.map { $0 + ";" }.joined())

            """, to: path)
        return path
    }

    /// Where an app of a system listens.
    static func listener(of app: String, in system: TestSystem) -> String {
        "\(system.home)/containers/\(app)/tmp/listener"
    }

    /// Says when a SIGTERM would find it prepared, and when one came; then it ends as it would have. Of orders it obeys
    /// those to lock a file and to listen.
    private static func plainProgram(_ app: TestApp) -> String {
        """
        import fcntl, os, signal, socket, threading

        files = []

        def lock(path):
            files.append(open(path, "r+"))
            fcntl.flock(files[-1], fcntl.LOCK_EX)

        def serve(peer):
            with peer:
                while peer.recv(100):
                    pass

        def listen():
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(os.environ["HOME"] + "/tmp/listener")
            listener.listen()
            print("listens", flush=True)
            while True:
                threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()

        obeyed = 0

        def obey(number, frame):
            global obeyed
            orders = f"{os.environ['HOME']}/Documents/order-{os.getpid()}-"
            while os.path.exists(f"{orders}{obeyed + 1}"):
                obeyed += 1
                with open(f"{orders}{obeyed}") as file:
                    follow(file.read())

        def follow(order):
            if order.endswith("listen"):
                threading.Thread(target=listen, daemon=True).start()
            else:
                threading.Thread(target=lock, args=[order.split("file=")[1]], daemon=True).start()

        signal.signal(\(orderSignal), obey)

        def asked(number, frame):
            print("SIGTERM", flush=True)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTERM)

        signal.signal(signal.SIGTERM, \(app.ignoresTermination ? "signal.SIG_IGN" : "asked"))
        if \(app.leavesChild ? "True" : "False") and os.fork() == 0:
            while True:
                signal.pause()
        print("ready", flush=True)
        while True:
            signal.pause()

        """
    }
}
