import Foundation
import LocationSimulation
import Model
import Simulation
import Testing

@Suite("Location in virtual time")
struct DeclarationTests {
    private struct File: Decodable {
        struct Hold: Decodable {
            var name, sentence: String
            var activity, priority: String?
        }
        struct Window: Decodable {
            var name, sentence: String
            var time: Double?
            var callback, option: String?
        }
        var name, mode: String
        var worksInForeground: Bool
        var asks: [String]
        var holds: [Hold]
        var windows: [Window]
    }

    @Test("It declares what the real one declares")
    func declaration() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Services/Location/location.json")
        let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: path))
        let declaration = SimulatedLocation.declaration
        #expect(file.name == declaration.name && declaration.mode.keys == [file.mode])
        #expect(file.worksInForeground == declaration.worksInForeground)
        #expect(Set(file.asks) == SimulatedLocation.asks)
        try #require(file.holds.count == declaration.holds.count)
        for (real, simulated) in zip(file.holds, declaration.holds) {
            #expect(real.name == simulated.name && real.sentence == simulated.sentence)
            #expect(real.activity == simulated.activity?.name, "\(real.name)")
            #expect(real.priority ?? "background" == simulated.priority.name, "\(real.name)")
        }
        try #require(file.windows.count == declaration.windows.count)
        for (real, simulated) in zip(file.windows, declaration.windows) {
            #expect(real.name == simulated.name && real.sentence == simulated.sentence)
            #expect(real.time.map { Model.Span.seconds($0) } == simulated.time, "\(real.name)")
            let callback: WindowCallback? =
                (real.callback, real.option) == (nil, "location") ? .locationEventsAtLaunch : nil
            #expect(callback == simulated.callback, "\(real.name)")
        }
    }

    @Test("What an app may say is understood, and anything else is refused with what may be said")
    func requests() {
        let known = [
            "updates", "updates 100 filter 50 background indicator fitness keep", "stop updates", "once", "once 100",
            "significant",
            "no significant", "visits", "no visits", "monitor office 100 -200 150", "monitor office 1 2 3 exit",
            "unmonitor office", "state office", "ask in use", "ask always", "ask exact",
        ]
        for text in known { #expect(SimulatedLocation.misunderstanding(of: text) == nil, "\(text)") }
        let unknown = [
            "", "updates loudly", "updates nan", "updates filter", "stop", "stop it", "once now", "significant 2", "no",
            "no way", "monitor", "monitor office", "monitor office 1 2", "monitor office a b c", "monitor a 1 2 3 both",
            "unmonitor", "state", "ask", "ask me", "dance",
        ]
        for text in unknown {
            #expect(SimulatedLocation.misunderstanding(of: text)?.contains("monitor NAME") == true, "\(text)")
        }
    }

    @Test("What people and the world may do is understood, and anything else is refused with what may be done")
    func deeds() {
        let known = [
            "at 100 -200", "walk to 0 0", "ride to 10 10", "drive to 1000 0", "drive to 1000 0 30", "place 46.1 14.2",
            "follow 46.1,14.2,0 46.2,14.3,60", "sky lost", "sky returns", "radio lost", "receiver returns",
            "allow org.example.flags always", "allow org.example.flags in use roughly", "deny org.example.flags",
            "fix nan 14 5 0", "fix 46 14 5 1700000000",
        ]
        for text in known { #expect(SimulatedLocation.misunderstandingFromOutside(of: text) == nil, "\(text)") }
        let unknown = [
            "", "at 1", "at here there", "walk 1 2", "drive to 1 2 0", "place 100 0", "follow", "follow 1,2", "sky",
            "sky falls",
            "allow", "allow org.example.flags", "allow org.example.flags often", "deny", "fix 1 2 3", "dance",
        ]
        for text in unknown {
            #expect(SimulatedLocation.misunderstandingFromOutside(of: text)?.contains("walk to") == true, "\(text)")
        }
    }
}
