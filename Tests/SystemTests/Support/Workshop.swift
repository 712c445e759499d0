import FoundationEssentials
import Glibc
import LinuxSystem
import Model
import Testing

/// Writes what tests install.
extension TestSystem {
    func write(_ text: String, to path: String, executable: Bool = false) throws {
        try FileSystem.makeDirectory(Machine.folder(of: path), mode: 0o755)
        try FileSystem.replace(path, with: Array(text.utf8), mode: executable ? 0o755 : 0o644)
    }

    /// A bundle whose program is a Python script beside `greenroom_app.py`; returns its path.
    func makeBundle(_ name: String, _ script: String, keys: String = "") throws -> String {
        let bundle = "\(folder)/\(name).app"
        let library = "\(Machine.repository)/Examples/python/Counter.app/greenroom_app.py"
        guard let code = FileSystem.read(library) else { throw Trouble("there is no \(library)") }
        try write(String(decoding: code, as: UTF8.self), to: "\(bundle)/greenroom_app.py")
        try write(script, to: "\(bundle)/\(name)", executable: true)
        try write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>\(name)</string>
            <key>CFBundleName</key><string>\(name)</string>
            <key>CFBundleExecutable</key><string>\(name)</string>
            \(keys)
            </dict></plist>
            """, to: "\(bundle)/Info.plist")
        return bundle
    }

    /// Installs an app that prints every callback once, `NAME SEQ`, and behaves otherwise as `body` says.
    func installPython(_ name: String, _ body: String = "", keys: String = "") throws {
        try expect("install", try makeBundle(name, Python.app(body), keys: keys))
    }

    /// Installs a program that knows nothing of Greenroom.
    func installPlain(_ name: String, command: String, terminal: Bool = false, modes: String = "", more: String = "")
        throws
    {
        let path = "\(folder)/\(name).desktop"
        try write(
            """
            [Desktop Entry]
            Type=Application
            Name=\(name)
            Exec=\(command)
            Terminal=\(terminal)
            X-Greenroom-Freeze=true
            X-Greenroom-BackgroundModes=\(modes)
            \(more)

            """, to: path)
        try expect("install", path)
    }
}

/// The device that a system is.
enum Device {
    case named(String)
    case hasty(Hasty)
    /// A profile as JSON.
    case profile(String)

    /// Like `linux`, and waits for an app's picture as long as that takes: for tests of what comes, not of how fast it
    /// does. On a busy machine an app in the background may need half a second for its picture.
    static var unhurried: Device {
        get throws {
            try linux { $0.freezeLimit = .seconds(60) }
        }
    }

    /// Like `linux`, but for a few things.
    static func linux(_ change: (inout DeviceProfile) -> Void) throws -> Device {
        var profile = DeviceProfile.linux
        change(&profile)
        return .profile(String(decoding: try JSONEncoder().encode(profile), as: UTF8.self))
    }

    /// For `greenroom up --device`; the profile is written into a folder.
    func argument(in folder: String) throws -> String {
        switch self {
        case .named(let name): return name
        case .hasty(let profile): return try write(profile.text, folder)
        case .profile(let text): return try write(text, folder)
        }
    }

    private func write(_ text: String, _ folder: String) throws -> String {
        let path = "\(folder)/profile.json"
        try FileSystem.replace(path, with: Array(text.utf8), mode: 0o644)
        return path
    }
}

/// A profile like `linux`, with limits that a test can wait for, in seconds.
struct Hasty {
    var launch = 20.0
    var callback = 20.0
    var mainThread = 20.0
    var check = 20.0
    var processes = 512

    var text: String {
        func span(_ seconds: Double) -> String { "{\"nanoseconds\":\(Int64(seconds * 1e9))}" }
        let limits = [
            "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive", "didEnterBackground",
            "willEnterForeground", "willTerminate", "openURL",
        ].map { "\"\($0)\":\(span(callback))" }.joined(separator: ",")
        return """
            {"name":"hasty","hasMultitasking":true,"locking":"sendsToBackground","expirationThread":"mainThread",
            "launchLimit":\(span(launch)),"callbackLimits":{\(limits)},"mainThreadLimit":\(span(mainThread)),
            "checkInterval":\(span(check)),"processLimit":\(processes),"freezeLimit":\(span(1)),"freezeAttempts":5,
            "hasSplitScreen":true}
            """
    }
}

enum Python {
    /// A complete app. `body` may define methods of the delegate `Delegate`, and anything else.
    static func app(_ body: String) -> String {
        """
        #!/usr/bin/env python3
        import os, signal, subprocess, sys, threading, time
        sys.dont_write_bytecode = True
        from greenroom_app import App, CALLBACKS

        class Base:
            def heard(self, name, params):
                print(name, params.get("seq"), flush=True)
                method = getattr(self, "on_" + name, None)
                return method(params) if method else None

        for name in CALLBACKS:
            setattr(Base, name, lambda self, params, name=name: self.heard(name, params))

        class Delegate(Base):
            pass

        \(body)

        app = App(Delegate(), "fixture/1.0")
        if "started" in globals():
            started(app)
        app.run()

        """
    }
}
