import Keeper
import Testing

@Suite("What the keeper tells the next daemon of ends")
struct StatusTests {
    private let lines = (1...20_000).map { "exit \($0) status 0\n" }

    @Test("Of more than a socket has room for, the newest are told, in their order and whole")
    func newest() throws {
        let text = String(decoding: Keeper.newest(lines), as: UTF8.self)
        let told = text.split(separator: "\n").map { String($0) + "\n" }
        #expect(text.utf8.count <= 1 << 16 && told.count > 3000)
        #expect(told == Array(lines.suffix(told.count)))
    }

    @Test("All of a few are told")
    func few() {
        #expect(Keeper.newest(Array(lines.prefix(3))) == Array(lines.prefix(3).joined().utf8))
        #expect(Keeper.newest([]) == [])
    }
}
