import AudioCore
import AudioModel
import AudioService
import Foundation
import Glibc
import LinuxSystem
import Model
import ServiceCore
import ServiceKit
import Testing

@Suite("What the audio service stores") final class AudioStoreTests {
    private let folder = "/tmp/greenroom-audio-store-\(UUID().uuidString)"
    private let app: AppIdentifier

    init() throws {
        app = try #require(AppIdentifier("org.example.memo"))
        try FileSystem.makeDirectory(folder)
    }

    deinit { try? FileSystem.removeTree(folder) }

    private func record(_ permission: AudioPermission, plays: UInt64 = 0) -> AudioRecord {
        var record = AppRecord(app)
        (record.permission, record.lastPlay, record.name) = (permission, plays, "Memo")
        return .app(record)
    }

    /// As the policy has it stored.
    private func changes(_ permission: AudioPermission, plays: UInt64) -> [RecordChange<AudioWords>] {
        [.store(record(permission, plays: plays)), .store(.permission(app, permission))]
    }

    private func load(_ store: AudioStore) -> [AudioRecord] { store.load { Issue.record("it reports \($0)") } }

    @Test("It is read back as it was")
    func readBack() throws {
        let store = try AudioStore(folder: folder)
        var device = DeviceRecord()
        device.plays = 3
        try store.commit([.store(.device(device))] + changes(.granted, plays: 2))
        try store.commit(changes(.denied, plays: 3))
        let read = load(try AudioStore(folder: folder))
        #expect(Set(read) == [.device(device), record(.denied, plays: 3)])
        try store.commit([.erase(.app(app)), .erase(.permission(app))])
        #expect(load(try AudioStore(folder: folder)) == [.device(device)])
    }

    @Test("Who may not use the microphone may not after a loss of power either, whatever became of the other files")
    func power() throws {
        let store = try AudioStore(folder: folder)
        try store.commit(changes(.denied, plays: 1))
        try store.commit([.store(record(.denied, plays: 2))])
        // What a file system leaves of files that nobody had written to the disk.
        for name in FileSystem.names(in: folder + "/records") where name.hasSuffix(".json") {
            #expect(unsafe truncate("\(folder)/records/\(name)", 0) == 0)
        }
        var left = AppRecord(app)
        left.permission = .denied
        let next = try AudioStore(folder: folder)
        #expect(load(next) == [.app(left)])
        // Given back, it is forgotten with the app.
        try next.commit([.erase(.app(app)), .erase(.permission(app))])
        #expect(FileSystem.names(in: folder + "/records").filter { $0.hasSuffix(".microphone") } == [])
    }

    @Test("Files of others and broken ones are left out")
    func broken() throws {
        let store = try AudioStore(folder: folder)
        for (name, text) in [
            ("app-org.example.memo.json", "{"), ("..microphone", "denied"), ("org.example.memo.microphone", "perhaps"),
            ("device.json", "[]"),
        ] { try FileSystem.replace("\(folder)/records/\(name)", with: Array(text.utf8)) }
        #expect(load(store) == [])
    }
}
