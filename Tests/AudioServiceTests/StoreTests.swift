import AudioCore
import AudioModel
import AudioService
import Foundation
import Glibc
import LinuxSystem
import Model
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

    @Test("It is read back as it was")
    func readBack() throws {
        let store = try AudioStore(folder: folder)
        var device = DeviceRecord()
        device.plays = 3
        try store.store(.device(device))
        try store.store(record(.granted, plays: 2))
        try store.store(record(.denied, plays: 3))
        let read = try AudioStore(folder: folder).load()
        #expect(Set(read) == [.device(device), record(.denied, plays: 3)])
        store.erase(.app(app))
        #expect(try AudioStore(folder: folder).load() == [.device(device)])
    }

    @Test("Who may not use the microphone may not after a loss of power either, whatever became of the other files")
    func power() throws {
        let store = try AudioStore(folder: folder)
        try store.store(record(.denied, plays: 1))
        try store.store(record(.denied, plays: 2))
        // What a file system leaves of files that nobody had written to the disk.
        for name in FileSystem.names(in: folder + "/records") where name.hasSuffix(".json") {
            #expect(unsafe truncate("\(folder)/records/\(name)", 0) == 0)
        }
        var left = AppRecord(app)
        left.permission = .denied
        let next = try AudioStore(folder: folder)
        #expect(next.load() == [.app(left)])
        // Given back, it is forgotten with the app.
        next.erase(.app(app))
        #expect(FileSystem.names(in: folder + "/records").filter { $0.hasSuffix(".microphone") } == [])
    }

    @Test("Files of others and broken ones are left out")
    func broken() throws {
        let store = try AudioStore(folder: folder)
        for (name, text) in [
            ("app-org.example.memo.json", "{"), ("..microphone", "denied"), ("org.example.memo.microphone", "perhaps"),
            ("device.json", "[]"),
        ] { try FileSystem.replace("\(folder)/records/\(name)", with: Array(text.utf8)) }
        #expect(store.load() == [])
    }
}
