import Foundation
import Model
import PolicyCore
import Testing

@Suite("How the Core's state lies in memory") struct LayoutTests {
    @Test("An app in the table stays small, and the system cheap to hand on")
    func bounds() {
        #expect(MemoryLayout<App>.stride <= 512)
        #expect(MemoryLayout<System>.size <= 1_024)
        #expect(MemoryLayout<Effect>.stride <= 120)
        #expect(App.layout.first { $0.name == "deadlines" }?.bytes ?? .max <= 96)
    }

    @Test("A mechanism without state in an app takes no bytes of it but the word that says so")
    func oneWord() {
        let word = MemoryLayout<Int>.size
        for name in ["windows", "being woken", "sockets", "locks", "an end"] {
            #expect(App.layout.first { $0.name == name }?.bytes == word, "\(name)")
        }
    }

    @Test("What is no more has the memory that it had before it was")
    func givenBack() {
        var (rare, sparse) = (Rare<String>(wrappedValue: nil), Sparse(wrappedValue: LaunchOptions.none))
        let (noString, noOptions) = (rare, sparse)
        rare.wrappedValue = "lock"
        sparse.wrappedValue = LaunchOptions(url: "mail:")
        #expect(rare.wrappedValue == "lock" && rare != noString)
        #expect(sparse.wrappedValue.url == "mail:" && sparse != noOptions)
        sparse.wrappedValue.url = nil
        rare.wrappedValue = nil
        #expect(rare == noString && rare.wrappedValue == nil)
        #expect(sparse == noOptions && sparse.wrappedValue == .none)
    }

    @Test("A checkpoint says nothing of what is not, and of the rest what it always said")
    func checkpoint() throws {
        let device = TestDevice()
        let (idle, busy) = (device.installTest("idle"), device.installTest("busy"))
        device.open(busy)
        device.request(busy, .beginTask(TaskID(1), name: "upload"))
        let data = try encoded(device.system)
        let tree = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(tree["energy"] == nil)
        #expect((tree["profile"] as? [String: Any])?["name"] as? String == "linux")
        let apps = try #require(tree["apps"] as? [[String: Any]])
        for app in [idle, busy] {
            let keys = Set(apps[Int(app.rawValue)].keys)
            #expect(keys.isSuperset(of: ["manifest", "launch", "sockets", "wake", "windows", "memory", "tasks"]))
            #expect(keys.isDisjoint(with: ["ending", "exceeded", "toldLock", "asked", "launchReason", "firstStatus"]))
        }
        #expect((apps[0]["wake"] as? [String: Any])?["isClosedByUser"] as? Bool == false)
        #expect(try encoded(JSONDecoder().decode(System.self, from: data)) == data)
    }

    @Test("What is there is in a checkpoint, and comes back from it")
    func present() throws {
        let device = TestDevice()
        let app = device.installTest("app")
        device.open(app)
        device.request(app, .mechanism(.snapshots(.provide(true))))
        device.send(.trafficSeen(app, .use, sent: 10, received: 10, from: device.now, to: device.now))
        _ = device.begin(.close(app, wait: false))
        let data = try encoded(device.system)
        let tree = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let apps = try #require(tree["apps"] as? [[String: Any]])
        #expect(tree["energy"] is [String: Any])
        #expect(apps[0]["ending"] is [String: Any])
        #expect((apps[0]["wake"] as? [String: Any])?["isClosedByUser"] as? Bool == true)
        let restored = try JSONDecoder().decode(System.self, from: data)
        #expect(restored.app(app) == device.system.app(app))
        #expect(try encoded(restored) == data)
    }

    private func encoded(_ system: System) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(system)
    }
}
