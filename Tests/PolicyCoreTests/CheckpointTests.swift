import Foundation
import Model
import PolicyCore
import Testing

@Suite("Checkpoints of older versions, and damaged ones") struct CheckpointTests {
    @Test("Deadlines of a version with fewer kinds belong to the same apps, and sockets begin anew")
    func deadlines() throws {
        let device = TestDevice()
        let apps = (0..<3).map { device.installTest("app\($0)") }
        for app in apps { device.open(app) }
        device.request(apps[2], .beginTask(TaskID(1), name: "upload"))
        device.home()
        let data = try JSONEncoder().encode(device.system)
        var tree = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let stored = try #require(tree["deadlines"] as? [String: Any])
        let kinds = try #require(stored["kinds"] as? Int)
        let due = try #require(stored["due"] as? [Any])
        // As it was when apps had four of them, without their number.
        tree["deadlines"] = due.enumerated().filter { $0.offset % kinds < 4 }.map(\.element)
        tree["apps"] = try #require(tree["apps"] as? [[String: Any]]).map { app in app.filter { $0.key != "sockets" } }
        var old = try JSONDecoder().decode(System.self, from: JSONSerialization.data(withJSONObject: tree))
        #expect(old.brokenInvariants() == [])
        for second in 1...40 {
            let moment = device.now + .seconds(Double(second))
            #expect(old.handle(.timer, at: moment) == device.system.handle(.timer, at: moment))
        }
        #expect(old.nextDeadline() == device.system.nextDeadline())
    }

    @Test("A day that has lost an hour is nothing to go on with: the checkpoint is damaged")
    func rhythm() throws {
        let device = TestDevice()
        device.open(device.installTest("app"))
        #expect(device.system.unsoundness == nil)
        for table in ["openings", "watched", "soonOdds", "hourOdds"] {
            let data = try JSONEncoder().encode(device.system)
            var tree = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
            var fetch = try #require(tree["fetch"] as? [String: Any])
            var planner = try #require(fetch["planner"] as? [String: Any])
            var rhythm = try #require(planner["rhythm"] as? [String: Any])
            rhythm[table] = Array(try #require(rhythm[table] as? [Any]).dropLast())
            planner["rhythm"] = rhythm
            fetch["planner"] = planner
            tree["fetch"] = fetch
            let damaged = try JSONDecoder().decode(System.self, from: JSONSerialization.data(withJSONObject: tree))
            #expect(damaged.unsoundness == "what was learned of the user's days is damaged", "\(table)")
        }
    }

    @Test("More uses of an app than can add up are as many as can: who goes first is found all the same")
    func uses() throws {
        let device = TestDevice()
        device.send(.memoryConfigured(budget: 1_000 << 20))
        let app = device.installTest("app")
        device.open(app)
        device.open(device.installTest("other"))
        let data = try JSONEncoder().encode(device.system)
        var tree = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        var memory = try #require(tree["memory"] as? [String: Any])
        var history = try #require(memory["history"] as? [String: Any])
        var records = try #require(history["records"] as? [[String: Any]])
        for number in records.indices { records[number]["uses"] = [UInt64](repeating: .max, count: 4) }
        #expect(!records.isEmpty)
        history["records"] = records
        memory["history"] = history
        tree["memory"] = memory
        let damaged = try JSONDecoder().decode(System.self, from: JSONSerialization.data(withJSONObject: tree))
        #expect(damaged.memoryVictims() == [app])
    }

    @Test("More memory than any machine has is nothing to go on with", arguments: ["available", "budget"])
    func memory(key: String) throws {
        let device = TestDevice()
        device.open(device.installTest("app"))
        let data = try JSONEncoder().encode(device.system)
        var tree = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        var memory = try #require(tree["memory"] as? [String: Any])
        memory[key] = Int64.min
        tree["memory"] = memory
        let damaged = try JSONDecoder().decode(System.self, from: JSONSerialization.data(withJSONObject: tree))
        #expect(damaged.unsoundness == "so much memory no machine has")
    }
}
