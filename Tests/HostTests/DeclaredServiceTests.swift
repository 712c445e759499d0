import Foundation
import Host
import LinuxSystem
import Model
import Testing

@Suite("Declarations of services") struct DeclaredServiceTests {
    /// Returns the declaration in a file with a name, a program and these keys.
    private func declare(_ keys: String) throws -> Result<ServiceDeclaration, DeclaredService.Fault> {
        let folder = NSTemporaryDirectory() + "greenroom-declared-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let json = #"{"name": "steps", "program": "steps.py""# + keys + "}"
        try FileSystem.replace(folder + "/steps.json", with: Array(json.utf8), mode: 0o600)
        let read = DeclaredService.read([folder])
        if let fault = read.faults.first { return .failure(fault) }
        return .success(try #require(read.services.first).declaration)
    }

    @Test("A hold declares what traffic is charged to and what priority the app has")
    func holds() throws {
        let declaration = try declare(
            #"""
            , "holds": [
                {"name": "a", "sentence": "s", "activity": "streaming", "priority": "foreground"},
                {"name": "b", "sentence": "s", "activity": "location"},
                {"name": "c", "sentence": "s", "priority": "timed"},
                {"name": "d", "sentence": "s", "perceived": true},
                {"name": "e", "sentence": "s", "perceived": true, "priority": "background"}
            ]
            """#
        ).get()
        #expect(declaration.holds.map(\.activity) == [.streaming, .location, nil, nil, nil])
        #expect(declaration.holds.map(\.priority) == [.foreground, .background, .timed, .foreground, .background])
    }

    @Test("A service may guard a mode that Greenroom does not define")
    func ownMode() throws {
        #expect(try declare(#", "mode": "beat""#).get().mode.keys == ["beat"])
        #expect(try declare(#", "mode": "com.example.beat-2""#).get().mode.otherKeys == ["com.example.beat-2"])
    }

    @Test("A service may have the apps of its mode launched at boot and again")
    func launches() throws {
        let plain = try declare(#", "mode": "voip""#).get()
        #expect(!plain.launchesAtBoot && !plain.relaunches)
        let declaration = try declare(#", "mode": "voip", "launchAtBoot": true, "relaunch": true"#).get()
        #expect(declaration.launchesAtBoot && declaration.relaunches)
    }

    @Test(
        "What is not understood leaves the service out, with what may be said",
        arguments: [
            (#", "holds": [{"name": "a", "sentence": "s", "activity": "browsing"}]"#, "transfer, streaming"),
            (#", "holds": [{"name": "a", "sentence": "s", "activity": 1}]"#, "activity"),
            (#", "holds": [{"name": "a", "sentence": "s", "priority": "highest"}]"#, "background, timed, foreground"),
            (#", "launchAtBoot": true"#, "declare one"), (#", "relaunch": true"#, "declare one"),
            (#", "mode": "voip", "relaunch": "yes""#, "relaunch"), (#", "mode": "two words""#, "a mode is a word"),
            (#", "mode": "/beat""#, "a mode is a word"), (#", "mode": """#, "a mode is a word"),
        ])
    func faults(keys: String, sentence: String) throws {
        let fault = try #require(throws: DeclaredService.Fault.self) { try declare(keys).get() }
        #expect(fault.sentence.contains(sentence), "\(fault.sentence)")
    }

    @Test(
        "The services that come with Greenroom say what their holds are charged to", arguments: ["Audio", "Location"])
    func own(service: String) throws {
        let path =
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path + "/Sources/Services/\(service)"
        let bytes = try #require(FileSystem.read("\(path)/\(service.lowercased()).json"))
        let folder = NSTemporaryDirectory() + "greenroom-declared-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileSystem.replace(folder + "/one.json", with: bytes, mode: 0o600)
        let read = DeclaredService.read([folder])
        #expect(read.faults.isEmpty)
        let hold = try #require(read.services.first?.declaration.holds.first)
        #expect(hold.activity == (service == "Audio" ? .streaming : .location))
        #expect(hold.priority == (service == "Audio" ? .foreground : .background))
    }
}
