import Foundation
import LinuxSystem
import Testing
import Wire

/// The fixture that does what its URLs say with notifications, and writes down what it hears.
struct Beacon {
    static let isBuilt = FileSystem.exists("\(Machine.programs)/Beacon")
    static let app = "org.greenroom.fixtures.beacon"

    let system: TestSystem
    let app: String

    /// Installs it.
    ///
    /// - Parameter modes: its `UIBackgroundModes`.
    init(in system: TestSystem, as app: String = Beacon.app, modes: [String] = ["remote-notification"]) throws {
        (self.system, self.app) = (system, app)
        let bundle = "\(system.folder)/\(app).app"
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "\(Machine.programs)/Beacon", toPath: "\(bundle)/Beacon")
        let plist = try String(contentsOfFile: "\(Machine.repository)/Fixtures/Beacon/Info.plist", encoding: .utf8)
        let keys = modes.map { "<string>\($0)</string>" }.joined()
        try system.write(
            plist.replacing(Beacon.app, with: app).replacing("<string>beacon</string>", with: "<string>\(app)</string>")
                .replacing("<string>remote-notification</string>", with: keys), to: "\(bundle)/Info.plist")
        try system.expect("install", bundle)
    }

    /// Brings it to the screen and has it do something.
    func obey(_ order: String, at location: SourceLocation = #_sourceLocation) throws {
        try system.expect("open", "\(app):\(order)", at: location)
    }

    // MARK: What it heard

    func log() throws -> [JSONValue] {
        try (system.contents("containers/\(app)/Documents/log") ?? "").split(separator: "\n").map {
            try JSONValue(parsing: String($0))
        }
    }

    func heard(_ event: String) throws -> [JSONValue] { try log().filter { $0["event"]?.string == event } }

    /// Waits for the app to have heard so many of these, and returns the last one.
    @discardableResult
    func hears(_ event: String, _ count: Int = 1) throws -> JSONValue {
        try system.until("\(event) \(count), of \(log().map { $0["event"]?.string ?? "" })") {
            try heard(event).count >= count
        }
        let all = try heard(event)
        #expect(all.count == count, "\(event)")
        return try #require(all.last)
    }

    // MARK: Where it is

    func sleeps() throws {
        try system.play(["home"])
        try system.until("\(app) sleeps") { try system.app(app).state == "suspended" }
    }

    func isOn(_ state: String) throws { try system.until("\(app) is \(state)") { try system.app(app).state == state } }

    func kill() throws {
        try PidFD(CInt(#require(system.app(app).pid))).send(9)
        try system.until("\(app) is gone") { try system.app(app).state == "not-running" }
    }

    /// Asks for permission and for a token.
    func register() throws -> String {
        try obey("register")
        #expect(try hears("authorization")["granted"] == true)
        return try #require(try hears("token")["token"]?.string)
    }
}

extension TestSystem {
    /// What the notification service has: pending and shown.
    func notifications() throws -> [JSONValue] {
        try JSONValue(parsing: expect("notifications", "--json")).array ?? []
    }

    func shown() throws -> [JSONValue] { try notifications().filter { $0["place"]?.string == "delivered" } }

    func pushService() throws -> PidFD {
        let text = try #require(contents("services/notifications/pid"))
        return try PidFD(#require(text.split(separator: " ").first.flatMap { CInt($0) }))
    }

    func killDaemon() throws {
        let last = try lastSequence
        try PidFD(daemon).send(9)
        try follower().wait(for: "the daemon's restart", after: last) { $0.event == "daemonRestarted" }
    }
}
