import AudioSimulation
import Foundation
import Model
import Simulation
import Testing

@Suite("Audio in virtual time")
struct DeclarationTests {
    private struct File: Decodable {
        struct Hold: Decodable {
            var name, sentence: String
            var activity, priority: String?
            var limit: Double?
        }
        struct Window: Decodable {
            var name, sentence: String
            var time: Double?
            var callback, option: String?
        }
        var name, mode: String
        var worksInForeground, programs: Bool
        var holds: [Hold]
        var windows: [Window]
    }

    @Test("It declares what the real one declares")
    func declaration() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Services/Audio/audio.json")
        let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: path))
        let declaration = SimulatedAudio.declaration
        #expect(file.name == declaration.name && declaration.mode.keys == [file.mode])
        #expect(
            file.worksInForeground == declaration.worksInForeground && file.programs == SimulatedAudio.hearsPrograms)
        try #require(file.holds.count == declaration.holds.count)
        for (real, simulated) in zip(file.holds, declaration.holds) {
            #expect(real.name == simulated.name && real.sentence == simulated.sentence)
            #expect(real.activity == simulated.activity?.name, "\(real.name)")
            #expect(real.priority ?? "background" == simulated.priority.name, "\(real.name)")
            #expect(real.limit.map { Model.Span.seconds($0) } == simulated.limit, "\(real.name)")
        }
        try #require(file.windows.count == declaration.windows.count)
        for (real, simulated) in zip(file.windows, declaration.windows) {
            #expect(real.name == simulated.name && real.sentence == simulated.sentence)
            #expect(real.time.map { Model.Span.seconds($0) } ?? .zero == simulated.time, "\(real.name)")
            let callback: WindowCallback? =
                switch (real.callback, real.option) {
                case (nil, nil): .serviceEvents
                case ("open", nil): .opening
                default: nil
                }
            #expect(callback == simulated.callback, "\(real.name)")
        }
    }

    @Test("What an app may say is understood, and anything else is refused with what may be said")
    func requests() {
        let known = [
            "session playback", "session playback mix duck", "session playback speech spoken", "session ambient",
            "session playAndRecord chat speaker bluetooth", "session multiRoute", "activate", "deactivate",
            "deactivate notify", "play", "play 2", "play silence", "pause", "pause 2", "record", "stop recording",
            "commands play pause next", "commands", "remote events", "no remote events", "now playing a song",
            "speaker", "no speaker", "microphone",
        ]
        for text in known { #expect(SimulatedAudio.misunderstanding(of: text) == nil, "\(text)") }
        let unknown = [
            "", "session", "session loud", "session playback loudly", "activate now", "deactivate loudly",
            "play loudly",
            "play 1 2", "play silence now", "pause it", "record loudly", "stop", "stop playing", "commands dance",
            "remote", "remote control", "no", "no remote", "now", "now playing", "speaker 2", "no microphone", "dance",
        ]
        for text in unknown {
            #expect(SimulatedAudio.misunderstanding(of: text)?.contains("session CATEGORY") == true, "\(text)")
        }
    }

    @Test("What people may do is understood, and anything else is refused with what may be done")
    func deeds() {
        let known = [
            "press", "press twice", "press thrice", "command play", "command beginSeekingForward",
            "command endSeekingForward",
            "command beginSeekingBackward", "command endSeekingBackward", "command seek",
            "command seek 12.5", "command skipForward 30",
            "ringer silent", "ringer on", "interruption begins", "interruption ends", "interruption ends for good",
            "plug headphones", "unplug bluetooth", "route speaker", "allow app", "deny app", "program app plays",
            "program app plays silence", "program app pauses", "outsider plays", "outsider pauses", "outsider quits",
            "server dies", "server returns", "raise",
        ]
        for text in known { #expect(SimulatedAudio.misunderstandingFromOutside(of: text) == nil, "\(text)") }
        let unknown = [
            "", "press it", "press twice now", "command", "command dance", "command play 3",
            "command seek far", "command seekForward", "command beginSeekingForward 3", "ringer", "ringer loud",
            "interruption",
            "interruption ends well", "interruption begins for good", "plug", "plug toaster", "route", "allow",
            "deny a b", "program", "program app", "program app dances", "program app pauses silence",
            "program app plays loudly", "outsider", "outsider sings", "server", "server sleeps", "raise it",
        ]
        for text in unknown {
            #expect(SimulatedAudio.misunderstandingFromOutside(of: text)?.contains("press [twice") == true, "\(text)")
        }
    }

    @Test("What storms say is understood")
    func storms() throws {
        var random = SplitMix64(seed: 1)
        let app = try #require(AppIdentifier("org.example.app"))
        for number in 0..<2000 {
            let words = SimulatedAudio.words(&random, canBegin: number % 2 == 0)
            #expect(SimulatedAudio.misunderstanding(of: words) == nil, "\(words)")
            let deed = try #require(SimulatedAudio.wordsFromOutside(&random, of: app))
            #expect(SimulatedAudio.misunderstandingFromOutside(of: deed) == nil, "\(deed)")
        }
        for habits in SimulatedAudio.habits {
            for action in habits.values.joined() {
                guard case .ask(_, let words) = action else { continue }
                #expect(SimulatedAudio.misunderstanding(of: words) == nil, "\(words)")
            }
        }
    }
}
