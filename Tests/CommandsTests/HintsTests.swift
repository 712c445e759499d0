import Commands
import Model
import Testing
import Wire

@Suite("Hints")
struct HintsTests {
    @Test(
        "What the daemon says would help is said as a command",
        arguments: [
            (["remedy": "unlock"], "no: greenroom unlock first"),
            (["remedy": "wake"], "no: greenroom simulate wake first"),
            (["remedy": "listApps"], "no: greenroom apps lists those that are"),
            (["remedy": "dismiss", "interruption": "call"], "no (greenroom simulate call --help)"),
            (["remedy": "simulate", "interruption": "sms"], "no: greenroom simulate sms brings one"),
            (["remedy": "a newer one"], "no"), (.null, "no"), ("remedy", "no"), (["remedy": 7], "no"),
        ] as [(JSONValue, String)])
    func remedies(data: JSONValue, sentence: String) {
        #expect(Hints.sentence(RPCError(.refused, "no", data: data)) == sentence)
    }

    @Test("A reason that a command changes names the command, and no other is changed")
    func reasons() {
        #expect(Hints.reason(AssertionKind.exemption.reason).hasSuffix("(greenroom exempt --off takes that back)"))
        #expect(Hints.reason(WakeObstacle.refreshIsOff.sentence).hasSuffix("(greenroom refresh APP allows it)"))
        #expect(Hints.reason(AssertionKind.listen.reason) == AssertionKind.listen.reason)
    }
}
