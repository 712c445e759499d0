import AudioCore
import Model
import Testing

@Suite("The rules of a device's profile")
struct RulesTests {
    @Test("What claims to play may be silent for longer on the devices of 2010, by the names that profiles have")
    func silence() {
        // A profile of a new name has to be thought of here.
        let expected: [String: Model.Span] = [
            "iphone-os-3": .seconds(30), "iphone-3gs": .seconds(30), "iphone-4": .seconds(30),
            "ios-7": .seconds(10), "ipad-air-2": .seconds(10), "linux": .seconds(10),
        ]
        #expect(Set(DeviceProfile.all.map(\.name)) == Set(expected.keys))
        for (profile, silence) in expected { #expect(AudioRules(profile: profile).silence == silence, "\(profile)") }
        #expect(AudioRules(profile: "").silence == .seconds(10))
    }
}
