import FoundationEssentials
import LinuxSystem
import Testing
import Wire

extension TestSystem {
    /// Nothing listens there: the machine's own receiver has no say.
    static let withoutReceiver = ["GREENROOM_GPSD": "/nonexistent/gpsd"]

    /// Installs an example or a fixture as it was built, by its folder.
    func installBuilt(_ folder: String, at location: SourceLocation = #_sourceLocation) throws {
        let name = folder.split(separator: "/").last.map(String.init) ?? folder
        let bundle = "\(self.folder)/\(name).app"
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "\(Machine.programs)/\(name)", toPath: "\(bundle)/\(name)")
        try FileManager.default.copyItem(
            atPath: "\(Machine.repository)/\(folder)/Info.plist", toPath: "\(bundle)/Info.plist")
        try expect("install", bundle, at: location)
    }

    /// The telephone is in another cell, whose tower stands there.
    func enterCell(_ name: String, _ latitude: Double, _ longitude: Double, reach: Int = 900) throws {
        try expect(
            "simulate", "cell", name, "--latitude", "\(latitude)", "--longitude", "\(longitude)", "--reach", "\(reach)")
    }

    /// Leaves the screen, and is suspended; its last entry in the log.
    @discardableResult
    func leave(_ app: String) throws -> Int {
        let before = try lastSequence
        try play(["home"])
        return try follower().wait("suspended", of: app, after: before).seq
    }

    /// Kills an app's process from outside, and waits until that is known.
    @discardableResult
    func crash(_ app: String) throws -> Int {
        let before = try lastSequence
        guard let pid = try self.app(app).pid else { throw Trouble("\(app) does not run") }
        try PidFD(CInt(pid)).send(9)
        return try follower().wait("terminated", of: app, after: before).seq
    }

    /// Waits until an app has printed a line that ends so.
    func said(_ text: String, by app: String) throws {
        let patience = Patience()
        while !output(app).contains(where: { $0.hasSuffix(text) }) {
            guard !patience.isOver else { throw Trouble("\(app) does not say “\(text)”: \(output(app).suffix(8))") }
            // What an app prints comes without news.
            try pass(seconds: 0.02)
        }
    }

    func receivesSatellites() throws -> Bool {
        let status = try JSONValue(parsing: expect("location", "status", "--json"))
        return status["sources"]?.array?.first { $0["source"]?.string == "gps" }?["on"] == true
    }
}
