import Host
import Model
import Testing

@Suite("Looking at what apps have")
struct LooksUnderWayTests {
    private enum Step { case begin, end }

    /// What each step answers.
    private func answers(_ steps: [(Step, AppIndex)], _ looks: inout LooksUnderWay) -> [Bool] {
        var answers: [Bool] = []
        for (step, app) in steps {
            let answer = step == .begin ? looks.begin(app) : looks.end(app)
            answers.append(answer)
        }
        return answers
    }

    @Test("A look is made once, and again only if somebody asked meanwhile")
    func again() {
        var looks = LooksUnderWay()
        let app = AppIndex(0)
        #expect(answers([(.begin, app), (.end, app)], &looks) == [true, false])
        let asked = answers([(.begin, app), (.begin, app), (.begin, app), (.end, app)], &looks)
        #expect(asked == [true, false, false, true], "what was found is older than the question")
        #expect(answers([(.begin, app), (.end, app)], &looks) == [true, false])
    }

    @Test("Apps are looked at independently of one another")
    func apart() {
        var looks = LooksUnderWay()
        let (app, other) = (AppIndex(0), AppIndex(1))
        #expect(answers([(.begin, app), (.begin, other), (.begin, other)], &looks) == [true, true, false])
        #expect(looks.contains(app) && looks.contains(other))
        let ended = answers([(.end, app), (.end, other), (.end, other)], &looks)
        #expect(ended == [false, true, false], "at the last, nobody looked")
        #expect(!looks.contains(app) && !looks.contains(other))
    }
}
