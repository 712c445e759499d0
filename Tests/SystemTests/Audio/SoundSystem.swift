import Foundation
import LinuxSystem
import TestAudio
import TestBus
import Testing
import Wire

/// A system with a sound server of its own, and what one hears of it.
final class SoundSystem {
    static let isThere = TestAudio.isThere && FileSystem.exists("\(Machine.programs)/Radio")
    static let missing = TestAudio.missing

    let audio: TestAudio
    let system: TestSystem
    let recorder: SinkRecorder

    /// - Parameter sharesUser: apps are the user's own, as on a desktop; a bus lets nobody else in.
    init(
        sharesUser: Bool = false, gpu: Bool = false, environment extra: [String: String] = [:],
        within entry: [String] = []
    ) throws {
        // Apps have a `/tmp` of their own.
        audio = try TestAudio(place: "/var/lib", isOpen: true)
        var environment = audio.environment.merging(extra) { $1 }
        if sharesUser { environment["GREENROOM_SHARED_UID"] = "1" }
        system = try TestSystem(environment: environment, gpu: gpu, within: entry)
        recorder = try SinkRecorder(audio)
    }

    deinit { system.end() }

    // MARK: Apps

    /// Installs one of the examples, with other background modes than its own if it is to have others.
    @discardableResult
    func install(
        _ name: String, as app: String? = nil, modes: [String]? = nil, leavingOut mode: String? = nil
    ) throws -> String {
        let own = "org.greenroom.examples.\(name.lowercased())"
        let identifier = app ?? own
        let bundle = "\(system.folder)/\(identifier).app"
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "\(Machine.programs)/\(name)", toPath: "\(bundle)/\(name)")
        var plist = try String(
            contentsOfFile: "\(Machine.repository)/Examples/\(name)/Info.plist", encoding: .utf8)
        plist = plist.replacing(own, with: identifier)
            .replacing("<string>\(name.lowercased())</string>", with: "<string>\(identifier)</string>")
        if let modes {
            let keys = modes.map { "<string>\($0)</string>" }.joined()
            plist = plist.replacing("<string>audio</string>", with: keys)
        }
        if let mode { plist = plist.replacing("<string>\(mode)</string>", with: "") }
        try system.write(plist, to: "\(bundle)/Info.plist")
        try system.expect("install", bundle)
        return identifier
    }

    /// A file that the app of this name may read.
    func sound(_ amplitude: Float, frequency: Float = 440, seconds: Int = 60) throws -> String {
        let path = try audio.sound(amplitude, frequency: frequency, seconds: seconds)
        let copy = "\(system.folder)/\(amplitude)-\(frequency).wav"
        if !FileSystem.exists(copy) {
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy)
        }
        return copy
    }

    func open(_ app: String, _ words: String, at location: SourceLocation = #_sourceLocation) throws {
        try system.expect("open", "\(app):\(words)", at: location)
    }

    func status() throws -> JSONValue { try JSONValue(parsing: try system.expect("audio", "status", "--json")) }

    func player(_ app: String) throws -> JSONValue? {
        try status()["players"]?.array?.first { $0["app"]?.string == app }
    }

    func state(_ app: String) throws -> String { try system.app(app).state }

    func becomes(_ app: String, _ state: String) throws {
        try system.until("\(app) is \(state)") { try self.state(app) == state }
    }

    /// Kills the service, or the daemon.
    func kill(_ program: String) throws {
        guard program == "greenroomd" else {
            let services = try JSONValue(parsing: try system.expect("services", "--json"))
            let audio = services["services"]?.array?.first { $0["service"]?.string == "audio" }
            return try PidFD(CInt(#require(audio?["pid"]?.int))).send(9)
        }
        try system.killDaemon()
    }

    // MARK: What is heard

    /// - Returns: milliseconds until it was.
    @discardableResult
    func hears(
        _ level: Float, within tolerance: Float = 0.05, at location: SourceLocation = #_sourceLocation
    ) throws -> Int {
        try recorder.awaitSound { abs(Level.peak($0) - level) < tolerance }
    }

    @discardableResult
    func hearsNothing() throws -> Int { try recorder.awaitSound(100) { Level.peak($0) == 0 } }
}
