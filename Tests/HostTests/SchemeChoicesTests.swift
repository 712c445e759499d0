import Host
import Testing

@Suite("Which app opens the URLs of a scheme")
struct SchemeChoicesTests {
    private var choices = SchemeChoices()

    init() {
        choices.learn("first", claims: ["https", "notes"])
        choices.learn("second", claims: ["HTTPS", "mailto", "Notes"])
        choices.learn("third", claims: [])
    }

    @Test("The schemes of the web and of mail have nobody until the user chooses; another has all that claim it")
    func shared() {
        #expect(choices.schemes(of: "first") == ["notes"] && choices.schemes(of: "second") == ["notes"])
        #expect(choices.schemes == ["https", "mailto", "notes"])
        #expect(choices.claimants(of: "https") == ["first", "second"] && choices.choice(for: "https") == nil)
        for scheme in SchemeChoices.shared {
            var one = SchemeChoices()
            one.learn("only", claims: [scheme])
            #expect(one.schemes(of: "only").isEmpty)
        }
    }

    @Test("Who is chosen has the scheme alone, until that is taken back")
    mutating func chosen() {
        choices.choose("second", for: "https")
        choices.choose("first", for: "notes")
        #expect(choices.schemes(of: "first") == ["notes"] && choices.schemes(of: "second") == ["https"])
        choices.choose(nil, for: "https")
        choices.choose(nil, for: "notes")
        #expect(choices.schemes(of: "first") == ["notes"] && choices.schemes(of: "second") == ["notes"])
    }

    @Test("A choice counts while its app claims the scheme, and again when it is back")
    mutating func gone() {
        choices.choose("first", for: "notes")
        choices.choose("first", for: "https")
        choices.forget("first")
        #expect(choices.choice(for: "https") == nil)
        #expect(choices.schemes(of: "first").isEmpty && choices.schemes(of: "second") == ["notes"])
        choices.learn("first", claims: ["notes"])
        #expect(choices.schemes(of: "first") == ["notes"] && choices.schemes(of: "second").isEmpty)
        choices.learn("first", claims: ["https"])
        #expect(choices.schemes(of: "first") == ["https"] && choices.schemes(of: "second") == ["notes"])
    }

    @Test("What was chosen before is there after a start")
    func restored() {
        var restored = SchemeChoices(chosen: ["https": "first"])
        #expect(restored.schemes == ["https"] && restored.choice(for: "https") == nil)
        restored.learn("first", claims: ["https"])
        #expect(restored.schemes(of: "first") == ["https"])
    }
}
