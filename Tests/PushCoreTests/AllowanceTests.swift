import Model
import PushCore
import Testing

@Suite("So many at once, and so many more a second")
struct AllowanceTests {
    /// Whether there is one at each of these seconds.
    private func takes(most: Int, perSecond: Double, at seconds: [Double]) -> [Bool] {
        var allowance = Allowance(most: most, perSecond: perSecond)
        return seconds.map { allowance.take(at: Sample.start + .seconds($0)) }
    }

    @Test("What is used up comes back with time, and no more than there was at first")
    func refill() {
        let taken = takes(most: 3, perSecond: 0.5, at: [0, 0, 0, 0, 1, 2, 2, 1000, 1000, 1000, 1000])
        #expect(taken == [true, true, true, false, false, true, false, true, true, true, false])
    }

    @Test("A clock that goes back gives nothing, and takes nothing")
    func back() {
        #expect(takes(most: 1, perSecond: 1, at: [100, 10, 100, 101]) == [true, false, false, true])
    }
}
